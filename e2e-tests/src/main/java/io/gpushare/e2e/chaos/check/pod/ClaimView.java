package io.gpushare.e2e.chaos.check.pod;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A claim in the API server.
 *
 * @param name its name, or its namespace and name if that is not the namespace of the load
 * @param request what it requests
 * @param consumed what is allocated to it of each card, in units; empty until kube-scheduler has allocated cards
 */
public record ClaimView(String name, ContainerRequest request, Map<String, Integer> consumed) {
    public static final String DRIVER = "gpushare.io";
    private static final long UNIT = 1L << 30;

    public ClaimView {
        consumed = Map.copyOf(consumed);
    }

    /** Its cards as those of that container. */
    HeldCards of(String uid, String pod, String container) {
        return new HeldCards(uid, pod, container, request, consumed.keySet());
    }

    public static ClaimView of(JsonNode claim) {
        Map<String, Integer> consumed = new TreeMap<>();
        for (JsonNode result : claim.at("/status/allocation/devices/results")) {
            if (result.path("driver").asText().equals(DRIVER)) {
                int units = units(result.at("/consumedCapacity/memory").asText());
                consumed.merge(card(result.path("device").asText()), units, Integer::sum);
            }
        }
        JsonNode exactly = claim.at("/spec/devices/requests/0/exactly");
        String memory = exactly.at("/capacity/requests/memory").asText();
        return new ClaimView(
                claim.at("/metadata/name").asText(),
                memory.isEmpty()
                        ? ContainerRequest.cards(exactly.path("count").asInt(1))
                        : ContainerRequest.memory(units(memory)),
                consumed);
    }

    /** The card of that device: devices have the UUIDs of cards in small letters as their names. */
    public static String card(String device) {
        return device.startsWith("gpu-") ? "GPU-" + device.substring(4) : device;
    }

    /** The same, of devices of which some are the device plugin's: {@code <card>::<unit>}. */
    public static Set<String> cards(Set<String> devices) {
        Set<String> cards = new HashSet<>();
        devices.forEach(device -> cards.add(card(device.split("::", 2)[0])));
        return cards;
    }

    private static int units(String quantity) {
        if (quantity.endsWith("Gi")) {
            return Integer.parseInt(quantity.substring(0, quantity.length() - 2));
        }
        return quantity.isEmpty() ? 0 : Math.toIntExact(Math.ceilDiv(Long.parseLong(quantity), UNIT));
    }
}
