package io.gpushare.histories.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the containers of all nodes really have, whatever anybody wrote about it: the judge of each history. */
public final class CardUse {
    /** The units of each card that there is. */
    private final Map<String, Integer> capacities = new TreeMap<>();
    /** The units that each pod has, by card. */
    private final Map<String, Map<String, Integer>> users = new TreeMap<>();

    private final List<String> violations = new ArrayList<>();

    void card(String card, int units) {
        capacities.put(card, units);
        users.put(card, new TreeMap<>());
    }

    int capacity(String card) {
        return capacities.getOrDefault(card, 0);
    }

    private int sum(String card) {
        return users.getOrDefault(card, Map.of()).values().stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    /** The containers of a pod start to compute, with that many units of each card. */
    void start(String pod, Map<String, Integer> cards) {
        cards.forEach((card, units) -> {
            Map<String, Integer> present = users.get(card);
            if (present == null) {
                violations.add("pod " + pod + " has card " + card + ", which is not there");
                return;
            }
            present.merge(pod, units, Integer::sum);
            if (sum(card) > capacity(card)) {
                violations.add(
                        "card " + card + " has " + capacity(card) + " units and is given beyond that: " + present);
            }
        });
    }

    /** The containers of that pod have ended. */
    void end(String pod) {
        users.values().forEach(present -> present.remove(pod));
    }

    /** The pods that use a card. */
    List<String> users() {
        return users.values().stream()
                .flatMap(present -> present.keySet().stream())
                .distinct()
                .toList();
    }

    /** What must not be, and was. */
    public List<String> violations() {
        return violations;
    }

    void violation(String sentence) {
        violations.add(sentence);
    }
}
