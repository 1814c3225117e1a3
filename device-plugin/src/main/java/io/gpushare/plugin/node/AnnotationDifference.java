package io.gpushare.plugin.node;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.Decoded;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A pod on which something else is written than its containers have.
 *
 * @param holds what they have: what Allocate answered, or after a restart what pod-resources lists
 */
public record AnnotationDifference(PodRef pod, Allocation holds, Kind kind) {
    /** What is wrong with the annotation. */
    public enum Kind {
        /** There is none: the pod came by another scheduler, or is static. */
        UNWRITTEN,
        /** It says otherwise, or nothing that can be read. */
        WRONG,
        /**
         * It says otherwise than the kubelet's devices, and this plugin has not answered for the pod itself: which of the
         * two the containers see is not known here, so nothing is changed.
         */
        DOUBTFUL
    }

    public AnnotationDifference {
        Objects.requireNonNull(pod);
        Objects.requireNonNull(holds);
        Objects.requireNonNull(kind);
    }

    /** Every difference on the node; a pod is left out until all its containers have their cards. */
    public static List<AnnotationDifference> of(NodeSnapshot picture) {
        return picture.pods().stream()
                .filter(pod -> !pod.ended())
                .flatMap(pod -> of(picture, pod).stream())
                .toList();
    }

    private static Optional<AnnotationDifference> of(NodeSnapshot picture, NodePod pod) {
        return picture.use()
                .held()
                .allocationOf(pod.ref().uid())
                .filter(holds -> pod.demand().valid().filter(holds::gives).isPresent())
                .flatMap(holds ->
                        kind(picture, pod, holds).map(kind -> new AnnotationDifference(pod.ref(), holds, kind)));
    }

    private static Optional<Kind> kind(NodeSnapshot picture, NodePod pod, Allocation holds) {
        Set<String> answered = new HashSet<>();
        picture.answers().stream()
                .filter(answer -> answer.pod().uid().equals(pod.ref().uid()))
                .forEach(answer -> answered.add(answer.gets().name()));
        if (pod.allocation().valid().equals(Optional.of(holds))) {
            return answered.isEmpty() && otherDevices(picture.listed(), pod, holds)
                    ? Optional.of(Kind.DOUBTFUL)
                    : Optional.empty();
        }
        boolean own = holds.containers().stream().allMatch(container -> answered.contains(container.name()));
        // A container whose devices are of several cards has memory of one of them; only who answered knows which.
        if (!own && sharesSeveralCards(holds)) {
            return Optional.empty();
        }
        return Optional.of(pod.allocation() instanceof Decoded.Absent ? Kind.UNWRITTEN : Kind.WRONG);
    }

    private static boolean sharesSeveralCards(Allocation holds) {
        return holds.cards().stream()
                        .filter(card -> !holds.shareOn(card).shared().isNone())
                        .count()
                > 1;
    }

    private static boolean otherDevices(PodResourcesList listed, NodePod pod, Allocation holds) {
        return holds.containers().stream().anyMatch(container -> {
            Set<CardId> named = new HashSet<>();
            DeviceIdParser.devices(listed.devices(pod.name(), container.name()))
                    .forEach(device -> named.add(device.card()));
            return !named.isEmpty() && !named.equals(Set.copyOf(container.visibleCards()));
        });
    }

    /** The cards that the pod has, for people. */
    public String cards() {
        return String.join(", ", holds.cards().stream().map(CardId::uuid).toList());
    }
}
