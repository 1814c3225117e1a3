package io.gpushare.extender.cluster;

import io.gpushare.extender.scheduling.ClusterPod;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodState;
import io.gpushare.model.PodRef;
import java.util.Map;
import java.util.Optional;

/** The calls of a bind, through the Kubernetes API. */
public final class KubernetesPods implements PodApi {
    private final KubernetesApi api;

    public KubernetesPods(KubernetesApi api) {
        this.api = api;
    }

    @Override
    public Optional<ClusterPod> pod(String namespace, String name) throws Failure {
        try {
            return api.pod(namespace, name).map(KubernetesPods::pod);
        } catch (KubernetesException e) {
            throw failure(e);
        }
    }

    @Override
    public void bind(PodRef pod, String node, Map<String, String> annotations) throws Failure {
        try {
            api.bind(pod, node, annotations);
        } catch (KubernetesException e) {
            throw failure(e);
        }
    }

    private static Failure failure(KubernetesException e) {
        return new Failure(e.status(), String.valueOf(e.getMessage()), e);
    }

    static ClusterPod pod(PodState state) {
        return new ClusterPod(state.ref(), state.node(), state.ended(), state.annotations(), state.containers());
    }
}
