package io.gpushare.extender.pod;

import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.HostResourcesCodec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a pod wants: its demand for cards, and how a policy sees it.
 *
 * @param policy the one that it names; null leaves it to the extender's own
 */
public record PodSpecSummary(
        Demand demand, PodRequest request, @Nullable PolicyKind policy) {
    public PodSpecSummary {
        Objects.requireNonNull(demand);
        Objects.requireNonNull(request);
    }

    /** Summarizes that pod.
     *
     * @param models those of the cluster that the demand selects; empty for all */
    public static PodSpecSummary of(
            Demand demand, List<ContainerResources> containers, Map<String, String> annotations, Set<String> models) {
        HostResources compute = HostResourcesCodec.requested(containers);
        PodRequest request = new PodRequest(
                compute.cpuMilli(),
                compute.memoryMib(),
                demand.shareOfEachCard().units(),
                demand.total().wholeCards(),
                models);
        return new PodSpecSummary(demand, request, policy(annotations).orElse(null));
    }

    public HostResources compute() {
        return new HostResources(request.cpuMilli(), request.memoryMib());
    }

    private static Optional<PolicyKind> policy(Map<String, String> annotations) {
        return PolicyKind.parse(annotations.getOrDefault(AnnotationKeys.POLICY, ""));
    }

    /** What is wrong with a pod's annotations, so that it can't be placed as its people want. */
    public static Optional<String> fault(Map<String, String> annotations) {
        return annotations.containsKey(AnnotationKeys.POLICY)
                        && policy(annotations).isEmpty()
                ? Optional.of("annotation " + AnnotationKeys.POLICY + " names no policy: write one of "
                        + PolicyKind.offered())
                : Optional.empty();
    }
}
