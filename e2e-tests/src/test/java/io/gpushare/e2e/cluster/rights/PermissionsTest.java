package io.gpushare.e2e.cluster.rights;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PermissionsTest {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root"));

    @Test
    void whatTheManifestsGrantIsWhatTheDocumentationLists() throws Exception {
        assertThat(Permissions.granted(ROOT))
                .as("the roles in deploy/manifests, against the permissions in deploy/docs/operate/security.md")
                .isNotEmpty()
                .isEqualTo(Permissions.documented(ROOT));
    }

    @Test
    void noRoleHasAWildcardOrReadsSecrets() throws Exception {
        assertThat(Permissions.granted(ROOT)).noneMatch(line -> line.contains("*") || line.contains("secrets"));
    }
}
