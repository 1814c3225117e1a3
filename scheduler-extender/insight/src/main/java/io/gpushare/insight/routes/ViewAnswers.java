package io.gpushare.insight.routes;

import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.insight.routes.Answer.Question;
import io.gpushare.insight.routes.ViewParameters.Output;
import io.gpushare.insight.text.InspectText;
import io.gpushare.insight.text.NodeText;
import io.gpushare.insight.text.TopText;
import io.gpushare.insight.text.WasteCsv;
import io.gpushare.insight.text.WasteText;
import io.gpushare.insight.view.ClusterChanges;
import io.gpushare.insight.view.ClusterSnapshot;
import io.gpushare.insight.view.InspectedNodes;
import io.gpushare.insight.view.NodeDetails;
import io.gpushare.insight.view.Nodes;
import io.gpushare.insight.view.PodsOnCards;
import io.gpushare.insight.view.SortBy;
import io.gpushare.insight.view.ViewJson;
import io.gpushare.insight.view.ViewRevisions;
import io.gpushare.insight.view.Waste;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.WasteReport;
import io.gpushare.model.PodRef;
import io.gpushare.time.Machine;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The questions of all paths of the view, and the answers about the cluster, its nodes, and what is wasted. */
final class ViewAnswers {
    private static final int LARGEST_SELECTION = 100;

    /** The last complete snapshot of the cluster. */
    private record Complete(String revision, Optional<String> unready, Buffer body) {}

    private final Supplier<ClusterState> states;
    private final ViewAccess view;
    private final ViewRevisions revisions;
    private final Supplier<Optional<String>> unready;
    private volatile Complete complete = new Complete("", Optional.empty(), Buffer.buffer());
    private final Map<String, Question> immediate = new HashMap<>();
    private final Map<String, Question> waiting = new HashMap<>();
    private final WhyAnswers why;

    /** @param unready why this extender does not answer kube-scheduler now; empty when it does */
    ViewAnswers(
            Supplier<ClusterState> states,
            ViewAccess view,
            ViewRevisions revisions,
            Supplier<Optional<String>> unready) {
        this.states = states;
        this.view = view;
        this.revisions = revisions;
        this.unready = unready;
        immediate.put("cluster", this::cluster);
        immediate.put("find", this::find);
        immediate.put("inspect", ready(this::inspect));
        immediate.put("waste", this::wasteJson);
        immediate.put("text/waste", ready(this::waste));
        immediate.put("text/version", parameters -> Answer.text(() -> "Extender: " + view.version() + "\n"));
        immediate.put("text/node-names", ready(parameters -> nodeNames()));
        immediate.put("text/waiting-names", ready(this::waitingNames));
        waiting.put("nodes", this::nodes);
        waiting.put("text/summary", ready(this::summary));
        waiting.put("text/details", ready(this::details));
        waiting.put("text/nodes", ready(this::nodeTable));
        waiting.put("text/top", ready(this::top));
        waiting.put("text/top-pods", ready(this::topPods));
        why = new WhyAnswers(view.explainer(), view.usage());
        waiting.put("explain", ready(why::page));
        waiting.put("text/why", ready(why::text));
        new DefragAnswers(states, view.defrag())
                .questions()
                .forEach((path, question) -> waiting.put(path, ready(question)));
    }

    /** Whether the question waits for device plugins or the API server, for seconds at most. */
    boolean waits(String path) {
        return waiting.containsKey(path);
    }

    /** @param path the path below that of the view */
    Answer ask(String path, ViewParameters parameters) throws RefusedException {
        return Optional.ofNullable(immediate.getOrDefault(path, waiting.get(path)))
                .orElseThrow(() -> new RefusedException(404, HttpResponse.NOTHING_HERE))
                .ask(parameters);
    }

    /** Explains a pod whose manifest is the body. */
    Answer explain(ViewParameters parameters, byte[] body) throws RefusedException {
        return ready(each -> why.manifest(each, body)).ask(parameters);
    }

    private Question ready(Question question) {
        return parameters -> {
            Optional<String> why = unready.get();
            if (why.isPresent()) {
                throw new RefusedException(503, why.get());
            }
            return question.ask(parameters);
        };
    }

    /** Viewers who have no snapshot get the same bytes until something changes. */
    private Answer cluster(ViewParameters parameters) {
        return () -> {
            ClusterChanges changes =
                    revisions.since(parameters.text("since", ""), Machine.here().nanos());
            Optional<String> why = unready.get();
            Complete last = complete;
            if (changes.full() && changes.revision().equals(last.revision()) && why.equals(last.unready())) {
                return last.body();
            }
            Buffer body = ViewJson.json(ClusterSnapshot.of(changes, why, view.grafana()));
            if (changes.full()) {
                complete = new Complete(changes.revision(), why, body);
            }
            return body;
        };
    }

    private Answer find(ViewParameters parameters) throws RefusedException {
        String pod = parameters.text("pod", "");
        if (pod.isEmpty()) {
            throw new RefusedException(400, "write in 'pod' a part of the pod's namespace/name");
        }
        return Answer.json(() -> Nodes.having(states.get().nodes(), pod));
    }

    /** As {@code /gpushare-scheduler/inspect}, which the port of the view does not have. */
    private Answer inspect(ViewParameters parameters) throws RefusedException {
        List<NodeView> nodes = selected(states.get(), parameters);
        return Answer.json(() -> InspectedNodes.ofLedger(nodes));
    }

    private Answer nodes(ViewParameters parameters) throws RefusedException {
        List<String> names = parameters.names("names", LARGEST_SELECTION);
        ClusterState state = states.get();
        var details = details(
                state,
                names.isEmpty()
                        ? state.nodes()
                        : names.stream()
                                .flatMap(name -> state.node(name).stream())
                                .toList(),
                true);
        return Answer.json(() -> Nodes.of(details.get()));
    }

    private Answer summary(ViewParameters parameters) throws RefusedException {
        var nodes = details(parameters, false);
        return Answer.text(() -> new InspectText(nodes.get()).summary());
    }

    private Answer details(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        boolean gpushares = !parameters.text("notes", "").isEmpty();
        var nodes = details(parameters, output != Output.TEXT);
        return Answer.of(output, () -> InspectedNodes.of(nodes.get()), () -> {
            InspectText text = new InspectText(nodes.get());
            return gpushares ? text.details() : text.detailsInGib();
        });
    }

    private Answer nodeTable(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        SortBy order = parameters.sortBy();
        var nodes = details(parameters, output != Output.TEXT || order == SortBy.USED || order == SortBy.UNUSED);
        return Answer.of(
                output,
                () -> InspectedNodes.of(order.nodes(nodes.get())),
                () -> NodeText.of(order.nodes(nodes.get()), output == Output.WIDE));
    }

    private Answer top(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        SortBy order = parameters.sortBy();
        var nodes = details(parameters, true);
        return Answer.of(
                output,
                () -> Nodes.of(order.nodes(nodes.get())),
                () -> TopText.cards(nodes.get(), order, output == Output.WIDE));
    }

    private Answer topPods(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        SortBy order = parameters.sortBy();
        String namespace = parameters.text("namespace", "");
        var nodes = details(parameters, true);
        return Answer.of(
                output,
                () -> PodsOnCards.of(nodes.get(), namespace, order),
                () -> TopText.pods(nodes.get(), PodsOnCards.of(nodes.get(), namespace, order), namespace));
    }

    private Answer wasteJson(ViewParameters parameters) {
        return Answer.json(() -> Waste.of(view.waste().get(), parameters.text("since", "")));
    }

    private Answer waste(ViewParameters parameters) throws RefusedException {
        if (parameters.has("sort-by")) {
            throw new RefusedException(400, "waste has the most first: omit --sort-by");
        }
        String namespace = parameters.text("namespace", "");
        WasteReport all = view.waste().get();
        Waste waste = Waste.of(namespace.isEmpty() ? all : all.of(namespace), "");
        Output output = parameters.output();
        return output == Output.CSV
                ? Answer.text(() -> WasteCsv.of(waste))
                : Answer.of(output, () -> waste, () -> WasteText.of(waste, namespace));
    }

    private Answer nodeNames() {
        return lines(() -> states.get().nodes().stream()
                .filter(node -> !node.cards().cards().isEmpty())
                .map(NodeView::name));
    }

    private Answer waitingNames(ViewParameters parameters) {
        String namespace = parameters.text("namespace", "default");
        return lines(() -> states.get().waitingPods().stream()
                .map(WaitingPod::ref)
                .filter(pod -> pod.namespace().equals(namespace))
                .map(PodRef::name));
    }

    private static Answer lines(Supplier<Stream<String>> names) {
        return Answer.text(() -> names.get().map(name -> name + "\n").collect(Collectors.joining()));
    }

    /** The node that a parameter names, or all nodes. */
    private static List<NodeView> selected(ClusterState state, ViewParameters parameters) throws RefusedException {
        String name = parameters.text("node", "");
        return name.isEmpty()
                ? state.nodes()
                : List.of(state.node(name)
                        .orElseThrow(() -> new RefusedException(
                                404,
                                "node \"" + name + "\" is not known; kubectl gpushare shows all nodes with cards")));
    }

    private Supplier<List<NodeDetails>> details(ViewParameters parameters, boolean measured) throws RefusedException {
        ClusterState state = states.get();
        return details(state, selected(state, parameters), measured);
    }

    private Supplier<List<NodeDetails>> details(ClusterState state, List<NodeView> nodes, boolean measured) {
        Map<String, NodeUse> usage = measured ? view.usage().of(nodes) : Map.of();
        // An answer that waits for its turn keeps no state of the cluster.
        Map<String, Map<PodRef, Long>> unattributed = state.unattributedUnits();
        Map<String, String> notStarted = state.notStarted();
        return () -> NodeDetails.of(nodes, usage, unattributed, notStarted);
    }
}
