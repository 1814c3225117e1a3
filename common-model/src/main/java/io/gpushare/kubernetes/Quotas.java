package io.gpushare.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.model.Quota;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.model.text.Printable;
import io.gpushare.model.text.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Lists the ResourceQuotas of all namespaces that limit shares of cards. */
public final class Quotas {
    private static final int PAGE = 500;
    private static final int MOST = 5000;
    private static final int LONGEST_SCOPE = 80;
    private static final int MOST_VALUES = 8;

    private final ApiServer server;

    Quotas(ApiServer server) {
        this.server = server;
    }

    /** The quotas on these resources, at most 5,000. It fails with 403 without the permission. */
    public List<Quota> list(ResourceNames names) throws KubernetesException {
        List<Quota> all = new ArrayList<>();
        String next = "";
        do {
            ApiServer.Request page = ApiServer.Request.get("listing the ResourceQuotas", "/api/v1/resourcequotas")
                    .with("limit", PAGE);
            JsonNode list = server.send(next.isEmpty() ? page : page.with("continue", next));
            list.path("items").forEach(quota -> all.addAll(read(quota, names)));
            next = Json.text(list.path("metadata"), "continue");
        } while (!next.isEmpty() && all.size() < MOST);
        return all.size() > MOST ? List.copyOf(all.subList(0, MOST)) : List.copyOf(all);
    }

    /** Until Kubernetes' controller has counted its pods, a quota has no status and is left out. */
    private static List<Quota> read(JsonNode quota, ResourceNames names) {
        List<Quota> all = new ArrayList<>();
        JsonNode metadata = quota.path("metadata");
        for (ShareKind kind : names.kinds()) {
            // Extended resources are counted by their requests only.
            String resource = "requests." + names.of(kind);
            OptionalLong hard = amount(Json.texts(quota.path("status"), "hard"), resource);
            OptionalLong used = amount(Json.texts(quota.path("status"), "used"), resource);
            if (hard.isPresent() && used.isPresent()) {
                all.add(new Quota(
                        Json.text(metadata, "namespace"),
                        Json.text(metadata, "name"),
                        kind,
                        Printable.line(scope(quota.path("spec")), LONGEST_SCOPE),
                        used.getAsLong(),
                        hard.getAsLong()));
            }
        }
        return all;
    }

    /** Which pods it counts, such as {@code PriorityClass In low, batch}; empty if it counts all. */
    private static String scope(JsonNode spec) {
        return Stream.concat(
                        spec.path("scopes").valueStream().map(JsonNode::asText),
                        spec.path("scopeSelector")
                                .path("matchExpressions")
                                .valueStream()
                                .map(Quotas::requirement))
                .limit(MOST_VALUES)
                .collect(Collectors.joining(" and "));
    }

    private static String requirement(JsonNode requirement) {
        String values = requirement
                .path("values")
                .valueStream()
                .limit(MOST_VALUES)
                .map(JsonNode::asText)
                .collect(Collectors.joining(", "));
        String text = Json.text(requirement, "scopeName") + " " + Json.text(requirement, "operator");
        return values.isEmpty() ? text : text + " " + values;
    }

    /** A fraction of a unit is of no use to a pod. */
    private static OptionalLong amount(Map<String, String> amounts, String resource) {
        return Quantity.parse(amounts.getOrDefault(resource, ""))
                .map(value -> value.min(BigDecimal.valueOf(Long.MAX_VALUE))
                        .setScale(0, RoundingMode.DOWN)
                        .longValueExact())
                .map(OptionalLong::of)
                .orElse(OptionalLong.empty());
    }
}
