package io.gpushare.extender.view;

import com.fasterxml.jackson.core.JsonGenerator;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.waste.CardView;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.MemoryUsage.Part;
import io.gpushare.model.ledger.CardState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes nodes in full: each card, its pods by name, and the measured usage where it is known. */
public final class NodesJson {
    private NodesJson() {}

    public static void write(JsonGenerator json, List<NodeView> nodes, Map<String, NodeUse> usage) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", 1);
        json.writeArrayFieldStart("nodes");
        for (NodeView node : nodes) {
            node(json, node, usage.getOrDefault(node.name(), NodeUse.UNKNOWN));
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes the names of the nodes with a pod whose {@code namespace/name} contains the text. */
    public static void having(JsonGenerator json, List<NodeView> nodes, String pod) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", 1);
        json.writeArrayFieldStart("nodes");
        for (NodeView node : nodes) {
            if (node.cards().holdings().stream()
                    .anyMatch(holding -> holding.holder().toString().contains(pod))) {
                json.writeString(node.name());
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void node(JsonGenerator json, NodeView node, NodeUse usage) throws IOException {
        json.writeStartObject();
        ClusterJson.head(json, node);
        if (node.address() != null) {
            json.writeStringField("address", node.address());
        }
        json.writeArrayFieldStart("cards");
        for (CardView card : CardView.of(node.cards())) {
            card(json, card, usage);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void card(JsonGenerator json, CardView view, NodeUse usage) throws IOException {
        CardState state = view.state();
        String uuid = state.card().id().uuid();
        json.writeStartObject();
        json.writeNumberField("index", state.card().index());
        json.writeStringField("uuid", uuid);
        json.writeStringField("model", state.card().model());
        json.writeNumberField("memoryMiB", state.card().memory().mib());
        json.writeNumberField("units", state.capacity().units());
        json.writeNumberField("allocatedUnits", state.occupied().units());
        ClusterJson.states(json, state);
        used(json, usage.cards().get(uuid));
        json.writeArrayFieldStart("pods");
        for (CardView.Share share : view.shares()) {
            json.writeStartObject();
            ClusterJson.pod(json, share.pod());
            json.writeNumberField("units", share.units());
            if (share.whole()) {
                json.writeBooleanField("whole", true);
            }
            if (share.cores() > 0) {
                json.writeNumberField("coresPercent", share.cores());
            }
            Part part = new Part(uuid, share.pod().namespace(), share.pod().name());
            used(json, usage.pods().get(part));
            @Nullable Long idle = usage.idleSeconds().get(part);
            if (idle != null) {
                json.writeNumberField("idleSeconds", idle);
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    static void used(JsonGenerator json, @Nullable Long bytes) throws IOException {
        if (bytes != null) {
            json.writeNumberField("usedBytes", bytes);
        }
    }
}
