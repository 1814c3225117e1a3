package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the pods of a node have by the device plugin. The kubelet's record of the plugin's responses decides, which no
 * user can write; neither requests nor annotations count. A pod that is not recorded may have any card until the
 * kubelet has admitted it, or rejected it. After that it has nothing by the device plugin: the kubelet ignores names
 * that its node never had.
 *
 * @param pods of the node at the API server, listed after the last plugin ended
 * @param recorded by the kubelet, and read after the pods were listed; null if it can't be read
 */
public record RecordedPods(List<NodePod> pods, @Nullable KubeletCheckpoint recorded) {
    /** The cards of each pod that has any of these; none where it is unknown which: it may have any. */
    public Map<PodRef, Set<CardId>> on(Inventory inventory) {
        Map<PodRef, Set<CardId>> kept = new HashMap<>();
        pods.stream()
                .filter(pod -> !pod.ended() && pod.requestsDevices())
                .forEach(pod -> cards(pod, inventory).ifPresent(cards -> kept.put(pod.ref(), cards)));
        return kept;
    }

    /** None where it is unknown which; empty if the pod has no device. */
    private Optional<Set<CardId>> cards(NodePod pod, Inventory inventory) {
        String uid = pod.ref().uid();
        if (recorded == null || recorded.unnamed().contains(uid)) {
            return Optional.of(Set.of());
        }
        List<KubeletCheckpoint.Entry> entries = recorded.pods().getOrDefault(uid, List.of());
        Set<CardId> cards = new HashSet<>();
        for (KubeletCheckpoint.Entry entry : entries) {
            for (KubeletCheckpoint.NamedCard named : entry.cards()) {
                Optional<CardId> card = named.in(inventory);
                if (card.isEmpty()) {
                    return Optional.of(Set.of());
                }
                cards.add(card.get());
            }
        }
        if (pod.admitted()) {
            return Optional.of(cards).filter(some -> !some.isEmpty());
        }
        Set<String> known =
                entries.stream().map(KubeletCheckpoint.Entry::container).collect(Collectors.toSet());
        return Optional.of(known.containsAll(requesting(pod)) ? cards : Set.of());
    }

    /** The containers that get cards; one more than there are for a pod whose requests can't be read. */
    private static Set<String> requesting(NodePod pod) {
        Stream<String> requesting = pod.demand()
                .valid()
                .map(Demand::containers)
                .map(containers -> containers.stream().map(ContainerDemand::name))
                .orElseGet(() -> pod.former().isEmpty() ? Stream.of("") : Stream.of());
        return Stream.concat(requesting, pod.former().stream()).collect(Collectors.toCollection(HashSet::new));
    }
}
