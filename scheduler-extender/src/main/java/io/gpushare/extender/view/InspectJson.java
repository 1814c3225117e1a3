package io.gpushare.extender.view;

import com.fasterxml.jackson.core.JsonGenerator;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.waste.CardView;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.MemoryUsage.Part;
import io.gpushare.model.card.Health;
import io.gpushare.model.ledger.CardState;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the response of inspect in gpushare's shape, where "GPU" counts memory units, with the total of each card;
 * beside it the fields that gpushare did not have: unit, uuid, model, health, and whether the card is taken whole.
 */
public final class InspectJson {
    private InspectJson() {}

    public static Buffer of(List<NodeView> nodes) {
        return of(nodes, Map.of());
    }

    /**
     * The same with the measured usage where it is known, as {@code usedBytes}: {@code usedGPU} is what is allocated,
     * as in gpushare.
     */
    public static Buffer of(List<NodeView> nodes, Map<String, NodeUse> usage) {
        return JsonWriter.of(json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("nodes");
            for (NodeView node : nodes) {
                node(json, node, usage.getOrDefault(node.name(), NodeUse.UNKNOWN));
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    private static void node(JsonGenerator json, NodeView node, NodeUse usage) throws IOException {
        List<CardState> cards = node.cards().cards();
        json.writeStartObject();
        json.writeStringField("name", node.name());
        json.writeNumberField(
                "totalGPU",
                cards.stream().mapToLong(state -> state.capacity().units()).sum());
        json.writeNumberField(
                "usedGPU",
                cards.stream().mapToLong(state -> state.occupied().units()).sum());
        json.writeStringField("unit", node.cards().inventory().unit().toString());
        json.writeArrayFieldStart("devs");
        for (CardView card : CardView.of(node.cards())) {
            card(json, card, usage);
        }
        json.writeEndArray();
        Optional<String> unusable = Phrases.unusable(node);
        if (unusable.isPresent()) {
            json.writeStringField("unusable", unusable.get());
        }
        json.writeEndObject();
    }

    private static void card(JsonGenerator json, CardView view, NodeUse usage) throws IOException {
        CardState state = view.state();
        json.writeStartObject();
        json.writeNumberField("id", state.card().index());
        json.writeNumberField("totalGPU", state.capacity().units());
        json.writeNumberField("usedGPU", state.occupied().units());
        NodesJson.used(json, usage.cards().get(state.card().id().uuid()));
        json.writeStringField("uuid", state.card().id().uuid());
        json.writeStringField("model", state.card().model());
        json.writeStringField(
                "health",
                switch (state.card().health()) {
                    case Health.Healthy() -> "healthy";
                    case Health.Unhealthy(String reason) -> reason;
                });
        if (state.card().cordoned()) {
            json.writeBooleanField("cordoned", true);
        }
        if (state.card().held()) {
            json.writeBooleanField("held", true);
        }
        json.writeBooleanField("whole", state.takenWhole());
        json.writeArrayFieldStart("pods");
        for (CardView.Share share : view.shares()) {
            json.writeStartObject();
            json.writeStringField("name", share.pod().name());
            json.writeStringField("namespace", share.pod().namespace());
            json.writeNumberField("usedGPU", share.units());
            NodesJson.used(
                    json,
                    usage.pods()
                            .get(new Part(
                                    state.card().id().uuid(),
                                    share.pod().namespace(),
                                    share.pod().name())));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
