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

/** From a question's parameters to its answer, for people's eyes and programs. */
final class ViewResponses {
    private static final int NODES = 100;
    private static final int EXPLAINED = 50;
    private static final int MOST_EXPLAINED = 1000;
    private static final Set<String> TAKING_OTHERS =
            Set.of("nodes", "explain", "text/top", "text/top-pods", "text/why");

    private final Ledger ledger;
    private final ViewAccess viewing;
    private final ViewRevisions revisions;
    private final Supplier<Optional<String>> unready;

    ViewResponses(Ledger ledger, ViewAccess viewing, ViewRevisions revisions, Supplier<Optional<String>> unready) {
        this.ledger = ledger;
        this.viewing = viewing;
        this.revisions = revisions;
        this.unready = unready;
    }

    /** A question that has no answer; the message says why, and what to do. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        private final int status;

        Refused(int status, String message) {
            super(message);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /** An answer for which all is known. */
    interface Answer {
        Buffer make() throws Refused;
    }

    /** Whether the answer takes what device plugins or the API server know: then {@link #ask} waits for them, for seconds. */
    static boolean takesOthers(String what) {
        return TAKING_OTHERS.contains(what);
    }

    /** @param what the part of the path that says what is asked */
    Answer ask(String what, MultiMap parameters) throws Refused {
        return switch (what) {
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
                List<NodeView> nodes = wanted(parameters);
                Map<String, NodeUse> use = viewing.use().of(nodes);
                yield () -> text(TopText.cards(nodes, use));
            }
            case "text/top-pods" -> {
                List<NodeView> nodes = wanted(parameters);
                Map<String, NodeUse> use = viewing.use().of(nodes);
                yield () -> text(TopText.pods(nodes, use, parameter(parameters, "namespace", "")));
            }
            case "text/node-names" -> this::nodeNames;
            case "text/waiting-names" -> () -> waitingNames(parameters);
            case "text/why" -> {
                Explanation explanation = ofPod(parameters);
                yield () -> text(WhyText.of(explanation, number(parameters, "limit", 10, MOST_EXPLAINED)));
            }
            default -> throw new Refused(404, HttpResponse.NOTHING_HERE);
        };
    }

    private Buffer cluster(MultiMap parameters) {
        var changes = revisions.since(parameters.get("since"), System.nanoTime());
        return JsonWriter.of(json -> ClusterJson.write(json, changes, unready.get()));
    }

    private Answer nodes(MultiMap parameters) throws Refused {
        List<String> names = Stream.of(parameter(parameters, "names", "").split(","))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
        if (names.size() > NODES) {
            throw new Refused(400, "name at most " + NODES + " nodes in 'names', with commas between");
        }
        List<NodeView> found = names.isEmpty()
                ? ledger.nodes()
                : names.stream().flatMap(name -> ledger.node(name).stream()).toList();
        Map<String, NodeUse> use = viewing.use().of(found);
        return () -> JsonWriter.of(json -> NodesJson.write(json, found, use));
    }

    private Buffer find(MultiMap parameters) throws Refused {
        String pod = parameter(parameters, "pod", "");
        if (pod.isEmpty()) {
            throw new Refused(400, "write in 'pod' a part of the pod's namespace/name");
        }
        return JsonWriter.of(json -> NodesJson.having(json, ledger.nodes(), pod));
    }

    /** Of a pod whose manifest is the body. */
    Buffer explain(MultiMap parameters, byte[] body) throws Refused {
        requireReady();
        try (JsonParser parser = JsonBody.FACTORY.createParser(body)) {
            parser.nextToken();
            @Nullable SchedulingPod pod = PodReader.read(parser);
            if (pod == null || pod.containers().isEmpty()) {
                throw new Refused(400, "the body is no Pod with containers, as JSON");
            }
            return page(viewing.explain().of(pod), parameters);
        } catch (BadRequestException e) {
            throw new Refused(400, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new Refused(400, "the body is not JSON: send the manifest of one Pod as JSON");
        }
    }

    private static Buffer page(Explanation explanation, MultiMap parameters) throws Refused {
        int limit = number(parameters, "limit", EXPLAINED, MOST_EXPLAINED);
        int from = number(parameters, "from", 0, Integer.MAX_VALUE);
        return JsonWriter.of(json -> ExplainJson.write(json, explanation, from, limit));
    }

    private Explanation ofPod(MultiMap parameters) throws Refused {
        requireReady();
        String namespace = parameter(parameters, "namespace", "default");
        String name = parameter(parameters, "pod", "");
        if (name.isEmpty()) {
            throw new Refused(400, "name the pod in 'pod' and its namespace in 'namespace'");
        }
        try {
            return viewing.explain()
                    .pod(namespace, name)
                    .orElseThrow(() -> new Refused(404, "pod \"" + name + "\" not found in namespace " + namespace));
        } catch (PodApi.Failure e) {
            throw new Refused(502, "the API server can't tell of the pod now: " + e.getMessage());
        }
    }

    private void requireReady() throws Refused {
        Optional<String> why = unready.get();
        if (why.isPresent()) {
            throw new Refused(503, why.get());
        }
    }

    private static Buffer text(String text) {
        return Buffer.buffer(text);
    }

    private Buffer nodeNames() throws Refused {
        requireReady();
        return lines(ledger.nodes().stream()
                .filter(node -> !node.cards().cards().isEmpty())
                .map(NodeView::name));
    }

    private Buffer waitingNames(MultiMap parameters) throws Refused {
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

    private InspectText inspect(MultiMap parameters) throws Refused {
        List<NodeView> nodes = wanted(parameters);
        Map<String, Long> pending = ledger.unattributedUnits();
        pending.keySet().retainAll(nodes.stream().map(NodeView::name).toList());
        return new InspectText(nodes, pending);
    }

    /** The nodes that a text is about: the one that was named, or all. */
    private List<NodeView> wanted(MultiMap parameters) throws Refused {
        requireReady();
        String name = parameter(parameters, "node", "");
        if (name.isEmpty()) {
            return ledger.nodes();
        }
        return List.of(ledger.node(name).orElseThrow(() -> new Refused(404, "node \"" + name + "\" is not known")));
    }

    private static String parameter(MultiMap parameters, String name, String absent) {
        @Nullable String value = parameters.get(name);
        return value == null || value.isEmpty() ? absent : value;
    }

    private static int number(MultiMap parameters, String name, int absent, int most) throws Refused {
        String value = parameter(parameters, name, String.valueOf(absent));
        try {
            int number = Integer.parseInt(value);
            if (number >= 0) {
                return Math.min(number, most);
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new Refused(400, "'" + name + "' is no number from 0 up: " + value);
    }
}
