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
 * What the annotations of bound pods say, which only the extender writes here: a card that they give twice is not saved
 * by the plugin's refusal.
 */
final class WrittenCards {
    private final CardUse use;

    WrittenCards(CardUse use) {
        this.use = use;
    }

    /** The cards in the pod's annotation; empty if it names none. */
    static Optional<Allocation> of(PodDocument pod) {
        Map<String, String> annotations = new HashMap<>();
        pod.document()
                .path("metadata")
                .path("annotations")
                .properties()
                .forEach(entry ->
                        annotations.put(entry.getKey(), entry.getValue().asText()));
        return AllocationCodec.decode(annotations).valid();
    }

    /** Looks at all pods after a Binding. */
    void check(List<PodDocument> pods) {
        Map<String, Map<String, Integer>> given = new TreeMap<>();
        for (PodDocument pod : pods) {
            if (!pod.node().isEmpty() && !pod.ended()) {
                of(pod).ifPresent(allocation -> allocation.cards().forEach(card -> {
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
                use.violation("the annotations of bound pods give " + sum + " of the " + use.capacity(card)
                        + " units of card " + card + ": " + those);
            }
        });
    }
}
