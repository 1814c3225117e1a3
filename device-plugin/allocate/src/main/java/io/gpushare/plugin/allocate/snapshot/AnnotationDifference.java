package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.Allocation;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.foreign.AliyunPod;
import io.gpushare.plugin.node.pod.NodePod;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A pod whose annotations differ from what its containers have.
 *
 * @param actual what they have: the responses of Allocate, or if these are unknown what pod-resources lists; empty for
 *     a pod that ended
 */
public record AnnotationDifference(NodePod pod, Optional<Allocation> actual, Kind kind) {
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
         * The card that the pod got from gpushare's device plugin is unknown, so it holds each one that it may have.
         * The mark that it has one makes the extender count it so as well.
         */
        UNKNOWN_CARD,
        /** gpushare's device plugin gave a container of the pod no card, and the kubelet keeps that response. */
        REFUSED,
        /** The pod ended, and another scheduler's annotations still say that it waits for its cards. */
        WITHDRAWN,
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
            return this != UNASSIGNED && this != WITHDRAWN;
        }

        /** Whether there is something to write; otherwise only a user can resolve it. */
        public boolean written() {
            return this != UNCONFIRMED && this != REFUSED;
        }
    }

    /** Every difference on the node; a pod counts once all its containers have their cards. */
    public static List<AnnotationDifference> of(NodeSnapshot snapshot) {
        return snapshot.pods().stream()
                .flatMap(pod -> of(snapshot, pod).stream())
                .toList();
    }

    private static Optional<AnnotationDifference> of(NodeSnapshot snapshot, NodePod pod) {
        if (pod.ended()) {
            return pod.foreign().withdrawal().isEmpty()
                    ? Optional.empty()
                    : Optional.of(new AnnotationDifference(pod, Optional.empty(), Kind.WITHDRAWN));
        }
        if (snapshot.refusedByOther(pod)) {
            return Optional.of(new AnnotationDifference(pod, Optional.empty(), Kind.REFUSED));
        }
        Optional<Allocation> assigned =
                snapshot.allocations().assigned().allocationOf(pod.ref().uid());
        if (unmarked(snapshot, pod)) {
            return Optional.of(new AnnotationDifference(pod, assigned, Kind.UNKNOWN_CARD));
        }
        return assigned.filter(
                        actual -> pod.demand().valid().filter(actual::gives).isPresent())
                .flatMap(actual -> kind(snapshot, pod, actual)
                        .map(kind -> new AnnotationDifference(pod, Optional.of(actual), kind)));
    }

    /** Whether the pod holds each card that it may have, by no annotation that the extender reads. */
    private static boolean unmarked(NodeSnapshot snapshot, NodePod pod) {
        return snapshot.allocations().evidence().get(pod.ref().uid()) == NodeAllocations.Evidence.POSSIBLE
                && pod.allocation() instanceof Decoded.Absent
                && pod.foreign() instanceof AliyunPod
                && !pod.foreign().bound();
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
                AllocationCodec.annotationsOfRunning(actual.orElseThrow(), inventory, node, pod.containers(), now);
            case ADOPTED, UNASSIGNED -> AllocationCodec.annotationsOfAssigned(actual.orElseThrow());
            case WITHDRAWN -> pod.foreign().withdrawal();
            case UNKNOWN_CARD -> Map.of(AnnotationKeys.LEGACY_ASSIGNED, "true");
            case REFUSED -> Map.of();
        };
    }

    /** The UUIDs of the cards that the pod has, for messages. */
    public String cards() {
        return actual.stream()
                .flatMap(allocation -> allocation.cards().stream())
                .map(CardId::uuid)
                .collect(Collectors.joining(", "));
    }
}
