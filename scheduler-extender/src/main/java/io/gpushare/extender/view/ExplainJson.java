package io.gpushare.extender.view;

import com.fasterxml.jackson.core.JsonGenerator;
import io.gpushare.extender.report.CardVerdict;
import io.gpushare.extender.report.Explanation;
import io.gpushare.extender.report.Explanation.NodeVerdict;
import io.gpushare.extender.report.RefusedNodes;
import io.gpushare.extender.report.ScaleUp;
import java.io.IOException;
import java.util.List;

/** Writes an explanation: the reasons why the pod waits, counted, then a page of nodes with each card. */
public final class ExplainJson {
    private ExplainJson() {}

    /**
     * Writes one page.
     *
     * @param from the first node, counted from 0
     */
    public static void write(JsonGenerator json, Explanation explanation, int from, int limit) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", 1);
        json.writeObjectFieldStart("pod");
        ClusterJson.pod(json, explanation.pod());
        json.writeEndObject();
        switch (explanation) {
            case Explanation.Ended ended -> json.writeStringField("state", "ended");
            case Explanation.NoDemand none -> json.writeStringField("state", "no-demand");
            case Explanation.Invalid(var pod, String sentence) -> {
                json.writeStringField("state", "wrong");
                json.writeStringField("sentence", sentence);
            }
            case Explanation.Bound bound -> {
                json.writeStringField("state", "bound");
                json.writeStringField("node", bound.node());
                bound(json, bound);
            }
            case Explanation.Judged judged -> judged(json, judged, from, limit);
        }
        json.writeEndObject();
    }

    private static void bound(JsonGenerator json, Explanation.Bound bound) throws IOException {
        if (bound.allocation() != null) {
            json.writeArrayFieldStart("cards");
            for (var card : bound.allocation().cards()) {
                json.writeString(card.uuid());
            }
            json.writeEndArray();
        }
    }

    private static void judged(JsonGenerator json, Explanation.Judged judged, int from, int limit) throws IOException {
        json.writeStringField("state", "judged");
        json.writeStringField("demand", Phrases.of(judged.demand()));
        json.writeStringField("policy", judged.policy());
        ClusterJson.reasons(json, judged.feasible(), judged.reasons());
        if (judged.scaleUp() != null) {
            scaleUp(json, judged.scaleUp());
        }
        json.writeArrayFieldStart("groups");
        for (RefusedNodes group : judged.refused()) {
            json.writeStartObject();
            json.writeStringField("reason", group.reason().label());
            json.writeStringField("sentence", group.reason().sentence());
            json.writeNumberField("nodes", group.nodes());
            if (!group.model().isEmpty()) {
                json.writeStringField("model", group.model());
                json.writeStringField("detail", group.detail());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("advice");
        for (String sentence : judged.advice()) {
            json.writeString(sentence);
        }
        if (judged.scaleUp() != null) {
            json.writeString(Phrases.of(judged.scaleUp()));
        }
        json.writeEndArray();
        List<NodeVerdict> all = judged.nodes();
        int first = Math.min(from, all.size());
        int last = Math.min(all.size(), first + limit);
        json.writeArrayFieldStart("nodes");
        for (NodeVerdict node : all.subList(first, last)) {
            node(json, node);
        }
        json.writeEndArray();
        if (last < all.size()) {
            json.writeNumberField("next", last);
        }
    }

    private static void scaleUp(JsonGenerator json, ScaleUp scaleUp) throws IOException {
        json.writeObjectFieldStart("scaleUp");
        if (scaleUp instanceof ScaleUp.MoreLike more) {
            json.writeNumberField("nodes", more.nodes());
            json.writeStringField("like", more.like());
        }
        json.writeStringField("sentence", Phrases.of(scaleUp));
        json.writeEndObject();
    }

    private static void node(JsonGenerator json, NodeVerdict node) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", node.node());
        json.writeBooleanField("feasible", node.why() == null);
        if (node.chosen()) {
            json.writeBooleanField("chosen", true);
        }
        if (node.why() != null) {
            json.writeStringField("reason", node.why().label());
            json.writeStringField("sentence", node.why().sentence());
        }
        json.writeArrayFieldStart("cards");
        for (CardVerdict card : node.eachCard()) {
            json.writeStartObject();
            json.writeNumberField("index", card.state().card().index());
            json.writeStringField("uuid", card.state().card().id().uuid());
            json.writeStringField("model", card.state().card().model());
            json.writeNumberField("units", card.state().capacity().units());
            json.writeNumberField("freeUnits", card.state().free().units());
            json.writeBooleanField("takes", card.takes());
            json.writeStringField("sentence", card.sentence());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
