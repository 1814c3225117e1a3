package io.gpushare.simulated.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/** Parses Kubernetes quantities: {@code 500m}, {@code 2}, {@code 3Gi}, {@code 4k}. */
public final class Quantities {
    private static final Map<String, BigDecimal> SUFFIXES = Map.ofEntries(
            Map.entry("m", new BigDecimal("0.001")),
            Map.entry("k", BigDecimal.TEN.pow(3)),
            Map.entry("M", BigDecimal.TEN.pow(6)),
            Map.entry("G", BigDecimal.TEN.pow(9)),
            Map.entry("T", BigDecimal.TEN.pow(12)),
            Map.entry("Ki", BigDecimal.TWO.pow(10)),
            Map.entry("Mi", BigDecimal.TWO.pow(20)),
            Map.entry("Gi", BigDecimal.TWO.pow(30)),
            Map.entry("Ti", BigDecimal.TWO.pow(40)));

    private Quantities() {}

    /** The amounts of a resource list by resource name, in its order. */
    public static Map<String, BigDecimal> of(JsonNode resourceList) {
        Map<String, BigDecimal> amounts = new LinkedHashMap<>();
        resourceList
                .properties()
                .forEach(entry ->
                        amounts.put(entry.getKey(), parse(entry.getValue().asText())));
        return amounts;
    }

    static BigDecimal parse(String text) {
        int end = text.length();
        while (end > 0 && Character.isLetter(text.charAt(end - 1))) {
            end--;
        }
        BigDecimal factor = end == text.length() ? BigDecimal.ONE : SUFFIXES.get(text.substring(end));
        if (factor == null || end == 0) {
            throw new IllegalArgumentException("not a quantity that the simulation reads: " + text);
        }
        return new BigDecimal(text.substring(0, end)).multiply(factor);
    }
}
