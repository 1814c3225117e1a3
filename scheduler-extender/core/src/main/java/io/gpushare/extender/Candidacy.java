package io.gpushare.extender;

import io.gpushare.extender.cluster.Election;
import io.gpushare.extender.cluster.LeaderLabel;
import io.gpushare.extender.cluster.Leadership;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.time.Machine;
import org.jspecify.annotations.Nullable;

/**
 * The Lease that several extenders compete for.
 *
 * @param identity a random part is added: a restarted container has its predecessor's host name and is not the
 *     holder
 * @param pod the pod in that namespace that this process runs in, which is labelled while it serves requests; null
 *     for none
 */
public record Candidacy(
        String namespace,
        String lease,
        String identity,
        @Nullable String pod) {
    Election join(KubernetesApi api) {
        return Election.of(
                api.lease(namespace, lease, Leadership.CALL),
                identity + "_" + Machine.here().unique());
    }

    @Nullable
    LeaderLabel label(KubernetesApi api) {
        return pod == null ? null : LeaderLabel.of(api, namespace, lease, pod);
    }
}
