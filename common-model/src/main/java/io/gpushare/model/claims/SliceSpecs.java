package io.gpushare.model.claims;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The node's cards as the ResourceSlices of one pool, which is named after the node. Each card is one device. Its
 * memory is counted in units, and who names none takes all of it: so a card serves several claims or one that takes it
 * whole, and kube-scheduler keeps the two apart.
 *
 * <p>A card that pods still have by the device plugin is held, and left out.
 *
 * <p>kube-scheduler takes the first device that fits. Therefore cards in use come first, the fullest first.
 *
 * @param driver the name under which the cards are offered
 * @param roots where its cards are attached
 */
public record SliceSpecs(String driver, String node, PcieRoots roots) {
    /** The API allows 128, and 64 with taints: the number of slices must not change when a card becomes unhealthy. */
    private static final int MOST_DEVICES = 64;

    /** Slices that don't say where cards are attached. */
    public SliceSpecs(String driver, String node) {
        this(driver, node, PcieRoots.UNKNOWN);
    }

    /**
     * The spec of each slice, in the order in which their names must sort; none for a node that has no card to offer.
     *
     * @param taints whether the API server stores them, which those before Kubernetes 1.36 do not: without them an
     *     unused card that accepts no new claims is left out. One in use stays, because readers need its attributes
     */
    public List<Map<String, Object>> of(NodeCards cards, long generation, boolean taints) {
        List<Map<String, Object>> devices = devices(cards, taints);
        int slices = Math.ceilDiv(devices.size(), MOST_DEVICES);
        return IntStream.range(0, slices)
                .mapToObj(slice ->
                        devices.subList(slice * MOST_DEVICES, Math.min(devices.size(), (slice + 1) * MOST_DEVICES)))
                .map(part -> Map.<String, Object>of(
                        "driver",
                        driver,
                        "nodeName",
                        node,
                        "pool",
                        Map.of("name", node, "generation", generation, "resourceSliceCount", slices),
                        "devices",
                        part))
                .toList();
    }

    private List<Map<String, Object>> devices(NodeCards cards, boolean taints) {
        Inventory inventory = cards.inventory();
        Map<String, Card> named = CardNames.in(inventory);
        Map<Card, String> names = new LinkedHashMap<>();
        // A taint could be tolerated, and before 1.36 the API server drops it.
        named.forEach((name, card) -> {
            if (card.inUseBy() == null) {
                names.put(card, name);
            }
        });
        return cards.cards().stream()
                .filter(state -> names.containsKey(state.card()))
                .filter(state -> taints
                        || !state.unused()
                        || taints(state.card(), inventory).isEmpty())
                .sorted(Comparator.comparing(CardState::unused)
                        .thenComparingInt(state ->
                                state.capacity().minus(state.occupied()).units())
                        .thenComparingInt(state -> state.card().index()))
                .map(state -> device(names.getOrDefault(state.card(), ""), state, inventory))
                .toList();
    }

    private Map<String, Object> device(String name, CardState state, Inventory inventory) {
        Map<String, Object> device = new LinkedHashMap<>();
        Map<String, Object> capacities = capacities(state, inventory);
        List<Map<String, Object>> taints = taints(state.card(), inventory);
        device.put("name", name);
        device.put("attributes", CardAttributes.of(state.card(), inventory.driver(), roots));
        // Without memory that can be counted, a card is one claim's alone.
        if (!capacities.isEmpty()) {
            device.put("allowMultipleAllocations", true);
            device.put("capacity", capacities);
        }
        if (!taints.isEmpty()) {
            device.put("taints", taints);
        }
        return device;
    }

    private static Map<String, Object> capacities(CardState state, Inventory inventory) {
        Map<String, Object> capacities = new TreeMap<>();
        long unit = inventory.unit().size().bytes();
        long memory = unit * state.capacity().units();
        if (memory > 0) {
            capacities.put(Capacity.MEMORY, new Capacity(memory, memory, unit, unit).document());
            if (state.limits(ShareKind.CORES)) {
                capacities.put(Capacity.CORES, new Capacity(ShareKind.ALL, 0, 0, 1).document());
            }
            if (state.capacity().slots() > 0) {
                capacities.put(Capacity.SLOTS, new Capacity(state.capacity().slots(), 1, 1, 1).document());
            }
        }
        return capacities;
    }

    /** Why a card accepts no new claims: a claim may tolerate each reason by its name, and running pods keep it. */
    private static List<Map<String, Object>> taints(Card card, Inventory inventory) {
        List<String> keys = new ArrayList<>();
        if (inventory.noCards() != null) {
            keys.add("not-offered");
        }
        if (!card.health().healthy()) {
            keys.add("unhealthy");
        }
        if (card.cordoned()) {
            keys.add("cordoned");
        }
        if (card.isolation().closed()) {
            keys.add("no-isolation");
        }
        // A slice could offer less memory, and still give all of it to a claim for the whole card.
        if (card.foreign().bytes() > 0) {
            keys.add("foreign-use");
        }
        return keys.stream()
                .map(key -> Map.<String, Object>of("key", "gpushare.io/" + key, "effect", "NoSchedule"))
                .toList();
    }
}
