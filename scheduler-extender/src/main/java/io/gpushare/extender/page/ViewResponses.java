package io.gpushare.extender.page;

import com.fasterxml.jackson.core.JsonParser;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.extender.protocol.PodReader;
import io.gpushare.extender.report.Explanation;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.extender.view.ClusterJson;
import io.gpushare.extender.view.ExplainJson;
import io.gpushare.extender.view.MemoryUsage.NodeUse;
import io.gpushare.extender.view.NodesJson;
import io.gpushare.extender.view.ViewRevisions;
import io.gpushare.extender.view.text.InspectText;
import io.gpushare.extender.view.text.TopText;
import io.gpushare.extender.view.text.WhyText;
import io.gpushare.model.PodRef;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the responses of the view, from a request's parameters. */
final class ViewResponses {
    private static final int LARGEST_SELECTION = 100;
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 1000;
    private static final Set<String> WAITING = Set.of("nodes", "explain", "text/top", "text/top-pods", "text/why");

    private final Ledger ledger;
    private final ViewAccess view;
    private final ViewRevisions revisions;
    private final DefragResponses defrag;
    private final Supplier<Optional<String>> unready;

    ViewResponses(Ledger ledger, ViewAccess view, ViewRevisions revisions, Supplier<Optional<String>> unready) {
        this.ledger = ledger;
        this.view = view;
        this.revisions = revisions;
        this.defrag = new DefragResponses(ledger, view.defrag());
        this.unready = unready;
    }

    /** A request that can't be answered; the message says why, and what to do. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;
        private final int status;

        RefusedException(int status, String message) {
            super(message);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /** A response for which everything has been fetched. */
    interface Response {
        Buffer make() throws RefusedException;
    }

    /** Whether {@link #respond} waits for device plugins or the API server, for seconds at most. */
    static boolean waits(String path) {
        return WAITING.contains(path) || DefragResponses.PATHS.contains(path);
    }

    /** @param path the path below that of the view */
    Response respond(String path, MultiMap parameters) throws RefusedException {
        if (DefragResponses.PATHS.contains(path)) {
            requireReady();
            return defrag.respond(path, parameters);
        }
        return switch (path) {
            case "cluster" -> () -> cluster(parameters);
            case "nodes" -> nodes(parameters);
            case "find" -> () -> find(parameters);
            case "explain" -> {
                Explanation explanation = ofPod(parameters);
                yield () -> page(explanation, parameters);
            }
            case "text/summary" -> () -> text(inspect(parameters).summary());
            case "text/details" -> () -> text(inspect(parameters).details());
            case "text/top" -> {
                List<NodeView> nodes = selected(parameters);
                Map<String, NodeUse> usage = view.usage().of(nodes);
                yield () -> text(TopText.cards(nodes, usage));
            }
            case "text/top-pods" -> {
                List<NodeView> nodes = selected(parameters);
                Map<String, NodeUse> usage = view.usage().of(nodes);
                yield () -> text(TopText.pods(nodes, usage, parameter(parameters, "namespace", "")));
            }
            case "text/node-names" -> this::nodeNames;
            case "text/waiting-names" -> () -> waitingNames(parameters);
            case "text/why" -> {
                Explanation explanation = ofPod(parameters);
                yield () -> text(WhyText.of(explanation, number(parameters, "limit", 10, LARGEST_PAGE)));
            }
            default -> throw new RefusedException(404, HttpResponse.NOTHING_HERE);
        };
    }

    private Buffer cluster(MultiMap parameters) {
        var changes = revisions.since(parameters.get("since"), System.nanoTime());
        return JsonWriter.of(json -> ClusterJson.write(json, changes, unready.get()));
    }

    private Response nodes(MultiMap parameters) throws RefusedException {
        List<String> names = Stream.of(parameter(parameters, "names", "").split(","))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
        if (names.size() > LARGEST_SELECTION) {
            throw new RefusedException(
                    400, "name at most " + LARGEST_SELECTION + " nodes in 'names', with commas between");
        }
        List<NodeView> found = names.isEmpty()
                ? ledger.nodes()
                : names.stream().flatMap(name -> ledger.node(name).stream()).toList();
        Map<String, NodeUse> usage = view.usage().of(found);
        return () -> JsonWriter.of(json -> NodesJson.write(json, found, usage));
    }

    private Buffer find(MultiMap parameters) throws RefusedException {
        String pod = parameter(parameters, "pod", "");
        if (pod.isEmpty()) {
            throw new RefusedException(400, "write in 'pod' a part of the pod's namespace/name");
        }
        return JsonWriter.of(json -> NodesJson.having(json, ledger.nodes(), pod));
    }

    /** Explains a pod whose manifest is the body. */
    Buffer explain(MultiMap parameters, byte[] body) throws RefusedException {
        requireReady();
        try (JsonParser parser = JsonBody.FACTORY.createParser(body)) {
            parser.nextToken();
            @Nullable SchedulingPod pod = PodReader.read(parser);
            if (pod == null || pod.containers().isEmpty()) {
                throw new RefusedException(400, "the body is no Pod with containers, as JSON");
            }
            return page(view.explainer().of(pod), parameters);
        } catch (BadRequestException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new RefusedException(400, "the body is not JSON: send the manifest of one Pod as JSON");
        }
    }

    private static Buffer page(Explanation explanation, MultiMap parameters) throws RefusedException {
        int limit = number(parameters, "limit", PAGE, LARGEST_PAGE);
        int from = number(parameters, "from", 0, Integer.MAX_VALUE);
        return JsonWriter.of(json -> ExplainJson.write(json, explanation, from, limit));
    }

    private Explanation ofPod(MultiMap parameters) throws RefusedException {
        requireReady();
        String namespace = parameter(parameters, "namespace", "default");
        String name = parameter(parameters, "pod", "");
        if (name.isEmpty()) {
            throw new RefusedException(400, "name the pod in 'pod' and its namespace in 'namespace'");
        }
        try {
            return view.explainer()
                    .pod(namespace, name)
                    .orElseThrow(() ->
                            new RefusedException(404, "pod \"" + name + "\" not found in namespace " + namespace));
        } catch (PodApi.Failure e) {
            throw new RefusedException(502, "the pod can't be read from the API server now: " + e.getMessage());
        }
    }

    private void requireReady() throws RefusedException {
        Optional<String> why = unready.get();
        if (why.isPresent()) {
            throw new RefusedException(503, why.get());
        }
    }

    private static Buffer text(String text) {
        return Buffer.buffer(text);
    }

    private Buffer nodeNames() throws RefusedException {
        requireReady();
        return lines(ledger.nodes().stream()
                .filter(node -> !node.cards().cards().isEmpty())
                .map(NodeView::name));
    }

    private Buffer waitingNames(MultiMap parameters) throws RefusedException {
        requireReady();
        String namespace = parameter(parameters, "namespace", "default");
        return lines(ledger.waitingPods().stream()
                .map(WaitingPod::ref)
                .filter(pod -> pod.namespace().equals(namespace))
                .map(PodRef::name));
    }

    private static Buffer lines(Stream<String> names) {
        return text(names.map(name -> name + "\n").collect(Collectors.joining()));
    }

    private InspectText inspect(MultiMap parameters) throws RefusedException {
        List<NodeView> nodes = selected(parameters);
        Map<String, Long> pending = ledger.unattributedUnits();
        pending.keySet().retainAll(nodes.stream().map(NodeView::name).toList());
        return new InspectText(nodes, pending);
    }

    /** The named node, or all nodes. */
    private List<NodeView> selected(MultiMap parameters) throws RefusedException {
        requireReady();
        String name = parameter(parameters, "node", "");
        if (name.isEmpty()) {
            return ledger.nodes();
        }
        return List.of(
                ledger.node(name).orElseThrow(() -> new RefusedException(404, "node \"" + name + "\" is not known")));
    }

    static String parameter(MultiMap parameters, String name, String absent) {
        @Nullable String value = parameters.get(name);
        return value == null || value.isEmpty() ? absent : value;
    }

    static int number(MultiMap parameters, String name, int absent, int largest) throws RefusedException {
        String value = parameter(parameters, name, String.valueOf(absent));
        try {
            int number = Integer.parseInt(value);
            if (number >= 0) {
                return Math.min(number, largest);
            }
        } catch (NumberFormatException e) {
            // The error below covers it.
        }
        throw new RefusedException(400, "'" + name + "' is not a number from 0 up: " + value);
    }
}
