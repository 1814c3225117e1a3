package io.gpushare.plugin.node;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.gpushare.GpushareHolding;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A pod whose allocation annotation differs from what its containers have.
 *
 * @param actual what they have: the responses of Allocate, or after a restart what pod-resources lists
 */
public record AnnotationDifference(PodRef pod, Allocation actual, Kind kind) {
    /** How the annotation differs. */
    public enum Kind {
        /** There is none: another scheduler bound the pod, or it is static. */
        MISSING("unwritten"),
        /** It names another allocation, or can't be read. */
        WRONG("wrong"),
        /** There is none, because the pod got its card from gpushare's device plugin. */
        ADOPTED("adopted"),
        /** It is right, but gpushare's annotations don't say yet that the pod has its card. */
        UNASSIGNED("unassigned"),
        /**
         * It contradicts the kubelet's devices, and this plugin did not serve the pod's Allocate since it started. Which of
         * the two the containers use is unknown, so nothing is changed.
         */
        UNCONFIRMED("doubtful");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** The value of the label in metrics. */
        public String label() {
            return label;
        }

        /** Whether another program's mistake is corrected. */
        public boolean repaired() {
            return this == MISSING || this == WRONG;
        }

        /** Whether something was not as it should be; otherwise writing the annotation is a step of every pod. */
        public boolean reported() {
            return this != UNASSIGNED;
        }
    }

    public AnnotationDifference {
        Objects.requireNonNull(pod);
        Objects.requireNonNull(actual);
        Objects.requireNonNull(kind);
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
                .flatMap(actual ->
                        kind(snapshot, pod, actual).map(kind -> new AnnotationDifference(pod.ref(), actual, kind)));
    }

    private static Optional<Kind> kind(NodeSnapshot snapshot, NodePod pod, Allocation actual) {
        Set<String> answered = new HashSet<>();
        snapshot.answeredCalls().stream()
                .filter(call -> call.pod().uid().equals(pod.ref().uid()))
                .forEach(call -> answered.add(call.allocation().name()));
        if (pod.allocation().valid().equals(Optional.of(actual))) {
            if (answered.isEmpty() && otherDevices(snapshot.listed(), pod, actual)) {
                return Optional.of(Kind.UNCONFIRMED);
            }
            return pod.gpushare().bound() && !pod.gpushare().assigned()
                    ? Optional.of(Kind.UNASSIGNED)
                    : Optional.empty();
        }
        boolean own = actual.containers().stream().allMatch(container -> answered.contains(container.name()));
        if (answered.isEmpty()
                && actual.containers().stream()
                        .allMatch(container ->
                                named(snapshot.listed(), pod, container.name()).isEmpty())) {
            return GpushareHolding.of(pod.gpushare(), snapshot.inventory())
                    .filter(GpushareHolding::certain)
                    .map(_ -> Kind.ADOPTED);
        }
        // The device IDs of several cards don't say which card the container uses; only the response did.
        if (!own && sharesSeveralCards(actual)) {
            return Optional.empty();
        }
        return Optional.of(pod.allocation() instanceof Decoded.Absent ? Kind.MISSING : Kind.WRONG);
    }

    private static boolean sharesSeveralCards(Allocation actual) {
        return actual.cards().stream()
                        .filter(card -> !actual.shareOn(card).shared().isNone())
                        .count()
                > 1;
    }

    private static boolean otherDevices(PodResourcesList listed, NodePod pod, Allocation actual) {
        return actual.containers().stream().anyMatch(container -> {
            Set<CardId> named = named(listed, pod, container.name());
            return !named.isEmpty() && !named.equals(Set.copyOf(container.visibleCards()));
        });
    }

    /** The cards of the kubelet's devices for the container. */
    private static Set<CardId> named(PodResourcesList listed, NodePod pod, String container) {
        return DeviceIdParser.devices(listed.devices(pod.name(), container)).stream()
                .map(DeviceId::card)
                .collect(Collectors.toSet());
    }

    /** The UUIDs of the cards that the pod has, for messages. */
    public String cards() {
        return String.join(", ", actual.cards().stream().map(CardId::uuid).toList());
    }
}
