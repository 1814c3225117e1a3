package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.PodRequest;
import io.gpushare.extender.placement.PolicyKind;
import io.gpushare.model.Compute;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.ComputeCodec;
import io.gpushare.model.codec.ContainerResources;
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
record Wanted(Demand demand, PodRequest request, @Nullable PolicyKind policy) {
    Wanted {
        Objects.requireNonNull(demand);
        Objects.requireNonNull(request);
    }

    /** @param models those of the cluster that the demand selects; empty for all */
    static Wanted of(
            Demand demand, List<ContainerResources> containers, Map<String, String> annotations, Set<String> models) {
        Compute compute = ComputeCodec.requested(containers);
        PodRequest request = new PodRequest(
                compute.cpuMilli(), compute.memoryMib(), demand.unitsOnEachCard(), demand.cards(), models);
        return new Wanted(demand, request, policy(annotations).orElse(null));
    }

    Compute compute() {
        return new Compute(request.cpuMilli(), request.memoryMib());
    }

    private static Optional<PolicyKind> policy(Map<String, String> annotations) {
        return PolicyKind.parse(annotations.getOrDefault(AnnotationKeys.POLICY, ""));
    }

    /** What is wrong with a pod's annotations, so that it can't be placed as its people want. */
    static Optional<String> fault(Map<String, String> annotations) {
        return annotations.containsKey(AnnotationKeys.POLICY)
                        && policy(annotations).isEmpty()
                ? Optional.of("annotation " + AnnotationKeys.POLICY + " names no policy: write one of "
                        + PolicyKind.offered())
                : Optional.empty();
    }
}
