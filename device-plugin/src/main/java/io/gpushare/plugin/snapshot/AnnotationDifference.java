package io.gpushare.plugin.snapshot;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.Decoded;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod whose allocation annotation differs from what its containers have.
 *
 * @param containers the names of all its containers, in the order in which they start
 * @param actual what they have: the responses of Allocate, or if these are unknown what pod-resources lists
 */
public record AnnotationDifference(PodRef pod, List<String> containers, Allocation actual, Kind kind) {
    /** How the annotation differs. */
    public enum Kind {
        /** There is none: another scheduler bound the pod, or it is static. */
        MISSING,
        /** It names another allocation, or can't be read. */
        WRONG,
        /** There is none, because the pod got its card from another device plugin, such as gpushare's. */
        ADOPTED,
        /** It is right, but gpushare's annotations don't say yet that the pod has its card. */
        UNASSIGNED,
        /**
         * It contradicts the kubelet's devices, and neither this process nor the kubelet's checkpoint knows the
         * response of Allocate. Which of the two the containers use is unknown, so the pod holds both, and nothing is
         * changed.
         */
        UNCONFIRMED;

        /** Whether another program's mistake is corrected. */
        public boolean repaired() {
            return this == MISSING || this == WRONG;
        }

        /** Whether something was not as it should be; otherwise writing the annotation is a step of every pod. */
        public boolean reported() {
            return this != UNASSIGNED;
        }
    }

    /** Every difference on the node; a pod counts once all its containers have their cards. */
    public static List<AnnotationDifference> of(NodeSnapshot snapshot) {
        return snapshot.pods().stream()
                .filter(pod -> !pod.ended())
                .flatMap(pod -> of(snapshot, pod).stream())
                .toList();
    }

    private static Optional<AnnotationDifference> of(NodeSnapshot snapshot, NodePod pod) {
        return snapshot.allocations()
                .assigned()
                .allocationOf(pod.ref().uid())
                .filter(actual -> pod.demand().valid().filter(actual::gives).isPresent())
                .flatMap(actual -> kind(snapshot, pod, actual)
                        .map(kind -> new AnnotationDifference(pod.ref(), pod.containers(), actual, kind)));
    }

    private static Optional<Kind> kind(NodeSnapshot snapshot, NodePod pod, Allocation actual) {
        NodeAllocations.Evidence evidence =
                snapshot.allocations().evidence().get(pod.ref().uid());
        if (evidence == NodeAllocations.Evidence.DISPUTED) {
            return Optional.of(Kind.UNCONFIRMED);
        }
        if (pod.allocation().valid().equals(Optional.of(actual))) {
            return pod.foreign().bound() && !pod.foreign().assigned() ? Optional.of(Kind.UNASSIGNED) : Optional.empty();
        }
        if (evidence == NodeAllocations.Evidence.POSSIBLE) {
            return Optional.empty();
        }
        if (evidence == NodeAllocations.Evidence.FOREIGN) {
            return Optional.of(Kind.ADOPTED);
        }
        // The device IDs of several cards don't say which card the container uses; only the response did.
        if (evidence != NodeAllocations.Evidence.RESPONSES && sharesSeveralCards(actual)) {
            return Optional.empty();
        }
        if (!(pod.allocation() instanceof Decoded.Absent)) {
            return Optional.of(Kind.WRONG);
        }
        boolean otherDevices =
                snapshot.allocations().undeviced().allocationOf(pod.ref().uid()).isPresent();
        return Optional.of(otherDevices ? Kind.ADOPTED : Kind.MISSING);
    }

    private static boolean sharesSeveralCards(Allocation actual) {
        return actual.cards().stream()
                        .filter(card -> actual.shareOn(card).hasPart())
                        .count()
                > 1;
    }

    /** What has to be written on the pod, which is on that node. */
    public Map<String, String> annotations(Inventory inventory, String node, Instant now) {
        return switch (kind) {
            case MISSING, WRONG, UNCONFIRMED ->
                AllocationCodec.annotationsOfRunning(actual, inventory, node, containers, now);
            case ADOPTED, UNASSIGNED -> AllocationCodec.annotationsOfAssigned(actual);
        };
    }

    /** The UUIDs of the cards that the pod has, for messages. */
    public String cards() {
        return String.join(", ", actual.cards().stream().map(CardId::uuid).toList());
    }
}
