package io.gpushare.extender.view;

import com.fasterxml.jackson.core.JsonGenerator;
import io.gpushare.extender.defrag.DefragAdvisor.Advised;
import io.gpushare.extender.search.Departure;
import io.gpushare.extender.search.Move;
import io.gpushare.extender.search.Plan;
import io.gpushare.model.card.CardId;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Writes which pods to move. */
public final class DefragJson {
    private DefragJson() {}

    public static void write(JsonGenerator json, List<Advised> advised) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", 1);
        json.writeBooleanField("budgetsChecked", advised.stream().allMatch(Advised::budgets));
        json.writeArrayFieldStart("plans");
        for (Advised each : advised) {
            json.writeStartObject();
            if (each.waiting() != null) {
                json.writeObjectFieldStart("for");
                ClusterJson.pod(json, each.waiting());
                json.writeEndObject();
            }
            plan(json, each.plan());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void plan(JsonGenerator json, Plan plan) throws IOException {
        switch (plan) {
            case Plan.NotNeeded(String node) -> {
                json.writeStringField("state", "not-needed");
                json.writeStringField("node", node);
            }
            case Plan.NotPossible(String why) -> {
                json.writeStringField("state", "not-possible");
                json.writeStringField("sentence", why);
            }
            case Plan.Leave leave -> {
                json.writeStringField("state", "moves");
                json.writeNumberField("pods", leave.moves().count());
                json.writeArrayFieldStart("freed");
                for (Departure freed : leave.departures()) {
                    freed(json, freed);
                }
                json.writeEndArray();
            }
        }
    }

    private static void freed(JsonGenerator json, Departure freed) throws IOException {
        json.writeStartObject();
        json.writeStringField("node", freed.node());
        cards(json, freed.cards());
        json.writeArrayFieldStart("moves");
        for (Move move : freed.moves()) {
            json.writeStartObject();
            ClusterJson.pod(json, move.pod());
            json.writeStringField("controller", move.controller().kind());
            json.writeStringField("from", move.from());
            json.writeStringField("to", move.to());
            cards(json, move.cards());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void cards(JsonGenerator json, Set<CardId> cards) throws IOException {
        json.writeArrayFieldStart("cards");
        for (CardId card : cards) {
            json.writeString(card.uuid());
        }
        json.writeEndArray();
    }
}
