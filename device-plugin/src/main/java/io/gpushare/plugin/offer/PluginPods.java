package io.gpushare.plugin.offer;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.snapshot.NodePod;
import io.gpushare.plugin.state.HeldCards;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the pods of a node have by the device plugin. The kubelet's record of the plugin's responses decides, which no
 * user can write; annotations don't count. A pod with a container that is not recorded may have any card: it is being
 * admitted, or the kubelet is about to reject it.
 *
 * @param pods of the node at the API server, listed after the last plugin ended
 * @param recorded by the kubelet; a record of nothing if it can't be read
 */
public record PluginPods(List<NodePod> pods, KubeletCheckpoint recorded) {
    /** What they have of these cards. */
    public HeldCards on(Inventory inventory) {
        return new HeldCards(pods.stream()
                .filter(pod -> !pod.ended() && pod.requestsDevices())
                .collect(Collectors.toMap(pod -> "pod " + pod.ref(), pod -> cards(pod, inventory))));
    }

    /** None where it is unknown. */
    private Set<CardId> cards(NodePod pod, Inventory inventory) {
        List<KubeletCheckpoint.Entry> entries =
                recorded.pods().getOrDefault(pod.ref().uid(), List.of());
        Set<String> known =
                entries.stream().map(KubeletCheckpoint.Entry::container).collect(Collectors.toSet());
        List<Optional<CardId>> cards = entries.stream()
                .flatMap(entry -> entry.cards().stream())
                .map(card -> card.in(inventory))
                .toList();
        return known.containsAll(requesting(pod)) && cards.stream().allMatch(Optional::isPresent)
                ? cards.stream().flatMap(Optional::stream).collect(Collectors.toSet())
                : Set.of();
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
