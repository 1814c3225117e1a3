package io.gpushare.kubernetes;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.VersionInfo;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Whether the API server compares the uid in a Binding: from 1.23 on, but for 1.25 and 1.26, where it was forgotten. */
final class BindingGuard {
    private final ApiClient client;
    private final AtomicReference<@Nullable Boolean> known = new AtomicReference<>();

    BindingGuard(ApiClient client) {
        this.client = client;
    }

    /** Asks the server for its version once; an unknown version is taken as one that does not compare. */
    boolean serverChecksUid() throws KubernetesException {
        @Nullable Boolean checks = known.get();
        if (checks == null) {
            try {
                checks = checksUid(new VersionApi(client).getCode().execute());
            } catch (ApiException e) {
                throw KubernetesException.of("asking the API server for its version", e);
            }
            known.set(checks);
        }
        return checks;
    }

    static boolean checksUid(VersionInfo version) {
        // Managed clusters write "29+".
        String major = version.getMajor().replaceAll("[^0-9]", "");
        String minor = version.getMinor().replaceAll("[^0-9]", "");
        if (major.isEmpty() || minor.isEmpty()) {
            return false;
        }
        int number = Integer.parseInt(minor);
        return Integer.parseInt(major) > 1 || (number >= 23 && number != 25 && number != 26);
    }
}
