package io.gpushare.extender.view;

import com.fasterxml.jackson.core.JsonGenerator;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.extender.report.Explainer;
import io.gpushare.extender.waste.CardView;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.ledger.CardState;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes a snapshot of the cluster, or its changes. Cards come without their pods' names, which would be most of the
 * size: {@link NodesJson} has them for single nodes. Namespaces and models are indices into lists of the same response.
 */
public final class ClusterJson {
    private final JsonGenerator json;
    private final Map<String, Integer> namespaces = new LinkedHashMap<>();
    private final Map<String, Integer> models = new LinkedHashMap<>();

    private ClusterJson(JsonGenerator json) {
        this.json = json;
    }

    /**
     * Writes the changes.
     *
     * @param unready why this extender does not answer kube-scheduler now; empty when it does
     * @param grafana the address of Grafana, which a snapshot has; null for none
     */
    public static void write(
            JsonGenerator json, ClusterChanges changes, Optional<String> unready, @Nullable URI grafana)
            throws IOException {
        new ClusterJson(json).write(changes, unready, grafana);
    }

    private void write(ClusterChanges changes, Optional<String> unready, @Nullable URI grafana) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", 1);
        json.writeStringField("revision", changes.revision());
        json.writeBooleanField("full", changes.full());
        if (unready.isPresent()) {
            json.writeStringField("unready", unready.get());
        }
        if (changes.full() && grafana != null) {
            json.writeStringField("grafana", grafana.toString());
        }
        json.writeNumberField("plainNodes", changes.plain());
        json.writeArrayFieldStart("nodes");
        for (NodeView node : changes.nodes()) {
            node(node);
        }
        json.writeEndArray();
        texts("gone", changes.gone());
        texts("namespaces", namespaces.keySet());
        texts("models", models.keySet());
        if (changes.waiting() != null) {
            json.writeObjectFieldStart("waiting");
            waiting(changes.waiting());
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private void texts(String field, Iterable<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    private void node(NodeView node) throws IOException {
        json.writeStartObject();
        head(json, node);
        json.writeArrayFieldStart("cards");
        int place = 0;
        for (CardView card : CardView.of(node.cards())) {
            card(card, place);
            place++;
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes the fields of a node beside its cards. */
    static void head(JsonGenerator json, NodeView node) throws IOException {
        json.writeStringField("name", node.name());
        Optional<String> unusable = Phrases.unusable(node);
        if (unusable.isPresent()) {
            json.writeStringField("unusable", unusable.get());
        }
        json.writeNumberField("unitMiB", node.cards().inventory().unit().size().mib());
    }

    private void card(CardView card, int place) throws IOException {
        CardState state = card.state();
        json.writeStartObject();
        if (state.card().index() != place) {
            json.writeNumberField("index", state.card().index());
        }
        json.writeNumberField("model", number(models, state.card().model()));
        json.writeNumberField("units", state.capacity().units());
        states(json, state);
        json.writeArrayFieldStart("shares");
        for (CardView.Share share : card.shares()) {
            json.writeNumber(number(namespaces, share.pod().namespace()));
            json.writeNumber(share.units());
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes the fields that only a card in an unusual state has. */
    static void states(JsonGenerator json, CardState state) throws IOException {
        if (state.takenWhole()) {
            json.writeBooleanField("whole", true);
        }
        if (state.card().health() instanceof Health.Unhealthy(String reason)) {
            json.writeStringField("unhealthy", reason);
        }
        if (state.card().cordoned()) {
            json.writeBooleanField("cordoned", true);
        }
        if (state.card().held()) {
            json.writeBooleanField("held", true);
        }
        CardIsolation isolation = state.card().isolation();
        if (isolation.inForce() != Isolation.NONE) {
            json.writeStringField("isolation", isolation.inForce().toString());
        }
        if (!isolation.missing().isEmpty()) {
            json.writeStringField("isolationMissing", isolation.missing());
        }
        if (isolation.closed()) {
            json.writeBooleanField("memoryClosed", true);
        }
        if (state.limitsCores()) {
            json.writeNumberField("allocatedCoresPercent", state.occupied().cores());
        }
        if (state.overCommitted()) {
            json.writeBooleanField("overAllocated", true);
        }
    }

    private static int number(Map<String, Integer> numbers, String text) {
        return numbers.computeIfAbsent(text, any -> numbers.size());
    }

    private void waiting(ClusterChanges.Queue queue) throws IOException {
        json.writeNumberField("count", queue.count());
        List<Demand> demands = new ArrayList<>(queue.why().keySet());
        Map<Demand, Integer> numbers = new LinkedHashMap<>();
        json.writeArrayFieldStart("demands");
        for (Demand demand : demands) {
            numbers.put(demand, numbers.size());
            Explainer.Tally tally = queue.why().get(demand);
            if (tally != null) {
                demand(demand, tally);
            }
        }
        json.writeEndArray();
        json.writeArrayFieldStart("pods");
        for (WaitingPod pod : queue.first()) {
            json.writeStartObject();
            pod(json, pod.ref());
            json.writeNumberField("priority", pod.priority().value());
            json.writeStringField("created", pod.priority().created().toString());
            if (pod.demand() instanceof PodDemand.Invalid(String sentence)) {
                json.writeStringField("fault", sentence);
            } else if (pod.demand() instanceof PodDemand.Valid valid && numbers.containsKey(valid.demand())) {
                json.writeNumberField("demand", numbers.get(valid.demand()));
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void demand(Demand demand, Explainer.Tally tally) throws IOException {
        json.writeStartObject();
        json.writeStringField("text", Phrases.of(demand));
        json.writeNumberField("units", demand.shareOfEachCard().units());
        json.writeNumberField("sharedCards", demand.sharedCards());
        json.writeNumberField("wholeCards", demand.total().wholeCards());
        reasons(json, tally.feasible(), tally.reasons());
        json.writeEndObject();
    }

    static void pod(JsonGenerator json, PodRef pod) throws IOException {
        json.writeStringField("namespace", pod.namespace());
        json.writeStringField("name", pod.name());
    }

    /** Writes the reasons that keep nodes from taking a pod, the most common first. */
    static void reasons(JsonGenerator json, int feasible, Map<Reason, Integer> reasons) throws IOException {
        json.writeNumberField("feasibleNodes", feasible);
        json.writeArrayFieldStart("reasons");
        for (Map.Entry<Reason, Integer> reason : Phrases.mostFirst(reasons)) {
            json.writeStartObject();
            json.writeStringField("reason", reason.getKey().label());
            json.writeStringField("sentence", reason.getKey().sentence());
            json.writeNumberField("nodes", reason.getValue());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
