package io.gpushare.e2e.sandbox.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.patience.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All files of deploy/kubectl beside those of deploy/manifests, whose extender has one port without TLS. */
class PlainViewIT {
    @TempDir
    private Path folder;

    @Test
    void theAccountOfThePortThatIsNotThereLocksNobodyOut() throws Exception {
        try (DisplayedCluster cluster = new DisplayedCluster(4, folder)) {
            cluster.addViewerAccount();
            KubectlGpushare kubectl = new KubectlGpushare(folder);
            assertThat(kubectl.print()).startsWith("NODE ").contains("gpu-a100-0000");
            assertThat(kubectl.print("version")).contains("Extender: ");
            Path printed = folder.resolve("page");
            Process page = kubectl.start(printed, "page");
            try {
                Patience.await().until(() -> {
                    assertThat(page.isAlive()).as(Files.readString(printed)).isTrue();
                    return Files.readString(printed).contains("Ctrl-C");
                });
                assertThat(Files.readString(printed)).contains("gpushare-schd-extender:http/proxy/ui/");
            } finally {
                page.descendants().forEach(ProcessHandle::destroy);
                page.destroy();
            }
        }
    }
}
