package io.gpushare.plugin.node.pod;

import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.foreign.AliyunPod;
import io.gpushare.model.foreign.ForeignPod;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A pod of this node as the API reports it.
 *
 * @param ended whether its phase is Succeeded or Failed: then it holds no cards
 * @param allocation the allocation in this project's annotation
 * @param containers the names of its containers, in the order in which they start
 * @param admitted whether the kubelet has admitted it, and has recorded each device of it by its uid before that
 * @param started the names of its started containers, by container ID
 * @param former the containers whose devices are of a former resource: the kubelet makes no more calls for them
 * @param foreign the annotations of another scheduler
 * @param claims what its containers use of claims
 * @param ownJaxFraction the containers that set JAX's fraction of a card's memory by the variable's present name
 */
public record NodePod(
        PodRef ref,
        Instant created,
        boolean ended,
        Decoded<Demand> demand,
        Decoded<Allocation> allocation,
        List<String> containers,
        boolean admitted,
        Map<String, String> started,
        Set<String> former,
        ForeignPod foreign,
        List<ClaimUse> claims,
        Set<String> ownJaxFraction) {
    /** The order in which the kubelet admits pods that it receives together; the name breaks ties. */
    public static final Comparator<NodePod> ADMISSION_ORDER = Comparator.comparing(NodePod::created)
            .thenComparing(pod -> pod.ref().toString());

    public NodePod {
        containers = List.copyOf(containers);
        started = Map.copyOf(started);
        former = Set.copyOf(former);
        claims = List.copyOf(claims);
        ownJaxFraction = Set.copyOf(ownJaxFraction);
    }

    /** A pod that the API has not reported, or has deleted. */
    public static NodePod unknown(PodRef ref) {
        return new NodePod(
                ref,
                Instant.EPOCH,
                false,
                new Decoded.Absent<>(),
                new Decoded.Absent<>(),
                List.of(),
                false,
                Map.of(),
                Set.of(),
                AliyunPod.NONE,
                List.of(),
                Set.of());
    }

    /**
     * Whether it requests cards from the device plugin. An annotation alone gives none, and everybody can write one.
     */
    public boolean requestsDevices() {
        return !(demand instanceof Decoded.Absent) || !former.isEmpty();
    }

    public PodName name() {
        return PodName.of(ref);
    }

    /** The allocation that the pod's scheduler wrote: this project's extender, or another one. */
    public Decoded<Allocation> written(Inventory inventory) {
        if (!(allocation instanceof Decoded.Absent)) {
            return allocation;
        }
        Decoded<Allocation> chosen = foreign.chosen(inventory);
        return chosen instanceof Decoded.Valid<Allocation>(Allocation valid) && !gives(valid)
                ? new Decoded.Absent<>()
                : chosen;
    }

    /** Whether the annotation is valid and has cards for that container. */
    public boolean annotates(String container) {
        return allocation
                .valid()
                .flatMap(annotated -> annotated.container(container))
                .isPresent();
    }

    /** Whether that allocation gives the pod exactly its demand; any other one is rejected. */
    public boolean gives(Allocation given) {
        return demand.valid().filter(given::gives).isPresent();
    }
}
