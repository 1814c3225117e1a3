package io.gpushare.histories.world;

import io.gpushare.model.Allocation;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.simulated.client.PodDocument;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the annotations of pods said when they were bound, whatever became of them: a card that they give twice is not
 * saved by the plugin's refusal.
 */
final class WrittenCards {
    private final CardUse use;
    /** By the UID of the pod. */
    private final Map<String, Optional<Allocation>> bound = new HashMap<>();

    WrittenCards(CardUse use) {
        this.use = use;
    }

    /** The cards that the pod was bound to; empty if it was bound without any. */
    Optional<Allocation> of(PodDocument pod) {
        return bound.getOrDefault(pod.uid(), Optional.empty());
    }

    /** Whether it has been seen with a node. */
    boolean known(PodDocument pod) {
        return bound.containsKey(pod.uid());
    }

    private static Optional<Allocation> read(PodDocument pod) {
        Map<String, String> annotations = new HashMap<>();
        pod.document()
                .path("metadata")
                .path("annotations")
                .properties()
                .forEach(entry ->
                        annotations.put(entry.getKey(), entry.getValue().asText()));
        return AllocationCodec.decode(annotations).valid();
    }

    /**
     * Looks at all pods after a Binding.
     *
     * @param pods without those that skip kube-scheduler
     */
    void check(List<PodDocument> pods) {
        Map<String, Map<String, Integer>> given = new TreeMap<>();
        for (PodDocument pod : pods) {
            if (!pod.node().isEmpty() && !pod.ended()) {
                bound.computeIfAbsent(pod.uid(), _ -> World.byClaim(pod) ? Optional.empty() : read(pod))
                        .ifPresent(allocation -> allocation.cards().forEach(card -> {
                            Share share = allocation.shareOn(card);
                            given.computeIfAbsent(card.uuid(), _ -> new TreeMap<>())
                                    .merge(
                                            pod.title(),
                                            share.takenWhole() > 0 ? use.capacity(card.uuid()) : share.units(),
                                            Integer::sum);
                        }));
            }
        }
        given.forEach((card, those) -> {
            int sum = those.values().stream().mapToInt(Integer::intValue).sum();
            if (sum > use.capacity(card)) {
                use.violation("pods are bound to " + sum + " of the " + use.capacity(card) + " units of card " + card
                        + ": " + those);
            }
        });
    }
}
