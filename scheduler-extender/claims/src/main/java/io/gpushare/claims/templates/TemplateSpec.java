package io.gpushare.claims.templates;

import io.gpushare.claims.templates.TemplateName.Request;
import io.gpushare.model.claims.Capacity;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.request.SelectorCodec;
import io.gpushare.model.selector.CardSelector;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The spec of the template of a name. */
final class TemplateSpec {
    private static final String SHARES = "gpushare";
    private static final String CARDS = "gpushare-card";
    private static final long MIB = 1L << 20;

    private TemplateSpec() {}

    /**
     * The spec, as the API server stores it.
     *
     * @throws IllegalArgumentException with a sentence for the user if its cards can't be selected so
     */
    static Map<String, Object> of(TemplateName name) {
        List<Map<String, Object>> selectors = selector(name).conditions().stream()
                .map(CardExpression::of)
                .map(expression -> Map.<String, Object>of("cel", Map.of("expression", expression)))
                .toList();
        Map<String, Object> devices = new HashMap<>();
        List<Request> requests = name.requests();
        devices.put(
                "requests",
                IntStream.range(0, requests.size())
                        .mapToObj(i -> Map.of("name", "r" + i, "exactly", exactly(requests.get(i), selectors)))
                        .toList());
        if (name.oneCard()) {
            List<String> shares = IntStream.range(0, requests.size())
                    .filter(i -> requests.get(i).mib() > 0)
                    .mapToObj(i -> "r" + i)
                    .toList();
            devices.put("constraints", List.of(Map.of("requests", shares, "matchAttribute", "gpushare.io/uuid")));
        }
        return Map.of("spec", Map.of("devices", devices));
    }

    private static CardSelector selector(TemplateName name) {
        Map<String, String> annotations = new HashMap<>(name.selectors());
        annotations.replaceAll((_, text) -> SelectorText.written(text));
        return switch (SelectorCodec.decode(annotations)) {
            case Decoded.Absent<CardSelector> _ -> CardSelector.ANY;
            case Decoded.Valid<CardSelector> valid -> valid.value();
            case Decoded.Malformed<CardSelector> malformed -> throw new IllegalArgumentException(malformed.reason());
        };
    }

    private static Map<String, Object> exactly(Request request, List<Map<String, Object>> selectors) {
        Map<String, Object> exactly = new LinkedHashMap<>();
        exactly.put("deviceClassName", request.mib() > 0 ? SHARES : CARDS);
        exactly.put("allocationMode", "ExactCount");
        exactly.put("count", request.cards());
        if (!selectors.isEmpty()) {
            exactly.put("selectors", selectors);
        }
        if (request.mib() > 0) {
            Map<String, Object> amounts = new HashMap<>();
            amounts.put(Capacity.MEMORY, Capacity.quantity(request.mib() * MIB));
            if (request.cores() > 0) {
                amounts.put(Capacity.CORES, String.valueOf(request.cores()));
            }
            exactly.put("capacity", Map.of("requests", amounts));
        }
        return exactly;
    }
}
