package io.gpushare.extender.pod;

import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.HostResourcesCodec;
import io.gpushare.model.request.NamedPolicy;
import io.gpushare.model.selector.CardSelector;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decodes pods for every verb and for the ledger. An annotation of an unbound pod says which cards and which policy it
 * requires; a bound pod has its cards, and its annotations may be edited, so only its containers count.
 *
 * @param models the card models of the cluster that a selector matches
 */
public record PodDemandDecoder(DemandCodec codec, Function<CardSelector, Set<String>> models) {

    public PodDemand decode(SchedulingPod pod) {
        return unbound(pod.containers(), pod.annotations());
    }

    public PodDemand decode(PodState pod) {
        @Nullable Demand claimed = pod.claims().demand();
        if (claimed != null) {
            return valid(claimed, pod.containers(), null, pod.claims().notes())
                    .ofOthers()
                    .on(pod.scheduling().nodes());
        }
        return pod.node() == null
                ? accepting(pod.scheduling().nodes(), unbound(pod.containers(), pod.annotations()))
                : decoded(bound(pod, pod.node()), pod.containers(), pod.annotations(), null);
    }

    private static PodDemand accepting(NodeRules nodes, PodDemand demand) {
        return demand instanceof PodDemand.Valid valid ? valid.on(nodes) : demand;
    }

    /**
     * Another scheduler may have bound a pod that is invalid here. gpushare reads the memory only: a pod that it bound
     * may request whole cards as well, and has none.
     */
    private Decoded<Demand> bound(PodState pod, String node) {
        Decoded<Demand> demand = codec.decodeBound(pod.containers(), pod.annotations());
        if (demand instanceof Decoded.Malformed && !pod.annotations().containsKey(AnnotationKeys.ALLOCATION)) {
            ForeignPod foreign = codec.foreign(pod.containers(), pod.annotations(), node);
            if (foreign.bound() && !foreign.containers().isEmpty()) {
                return new Decoded.Valid<>(new Demand(foreign.containers()));
            }
        }
        return demand;
    }

    private PodDemand unbound(List<ContainerResources> containers, Map<String, String> annotations) {
        Decoded<Demand> requested = codec.decode(containers, annotations);
        Optional<NamedPolicy> named = codec.policy(requested, annotations);
        Optional<PolicyKind> policy = named.flatMap(each -> PolicyKind.parse(each.name()));
        PodDemand demand = decoded(requested, containers, annotations, policy.orElse(null));
        return demand instanceof PodDemand.Valid && named.isPresent() && policy.isEmpty()
                ? new PodDemand.Invalid("annotation " + named.get().annotation() + " names no policy: write one of "
                        + PolicyKind.offered())
                : demand;
    }

    private PodDemand decoded(
            Decoded<Demand> demand,
            List<ContainerResources> containers,
            Map<String, String> annotations,
            @Nullable PolicyKind policy) {
        return switch (demand) {
            case Decoded.Absent<Demand>() ->
                new PodDemand.NoGpu(
                        PodRequest.withoutGpu(HostResourcesCodec.requested(containers)), codec.named(containers));
            case Decoded.Malformed<Demand>(String sentence) -> new PodDemand.Invalid(sentence);
            case Decoded.Valid<Demand>(Demand valid) ->
                valid(valid, containers, policy, codec.notes(valid, containers, annotations));
        };
    }

    private PodDemand.Valid valid(
            Demand demand, List<ContainerResources> containers, @Nullable PolicyKind policy, List<String> notes) {
        return new PodDemand.Valid(
                demand,
                request(demand, containers),
                policy,
                demand.slotted()
                        ? containers.stream().map(ContainerResources::name).toList()
                        : List.of(),
                notes,
                NodeRules.ANY,
                false);
    }

    private PodRequest request(Demand demand, List<ContainerResources> containers) {
        HostResources host = HostResourcesCodec.requested(containers);
        CardSelector selector = demand.selector();
        return new PodRequest(
                host.cpuMilli(),
                host.memoryMib(),
                demand.instances() ? Share.INSTANCE : demand.share(),
                demand.total().wholeCards(),
                selector.any() ? Set.of() : models.apply(selector));
    }
}
