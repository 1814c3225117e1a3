package io.gpushare.extender.page;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.page.ViewParameters.Output;
import io.gpushare.extender.page.ViewResponses.Response;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.extender.report.Explanation;
import io.gpushare.extender.view.ExplainJson;
import io.gpushare.extender.view.InspectJson;
import io.gpushare.extender.view.NodesJson;
import io.gpushare.extender.view.SortBy;
import io.gpushare.extender.view.WasteJson;
import io.gpushare.extender.view.text.InspectText;
import io.gpushare.extender.view.text.NodeText;
import io.gpushare.extender.view.text.TopText;
import io.gpushare.extender.view.text.WasteText;
import io.gpushare.extender.view.text.WhyText;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.PodOnCard;
import io.gpushare.extender.waste.WasteReport;
import io.gpushare.model.PodRef;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes what the command line prints: text, or JSON and YAML of the same. */
final class TextResponses {
    private static final int NODES_OF_WHY = 10;
    // In the form of kubectl.
    private static final YAMLFactory YAML = YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .build();

    private final ViewSources sources;

    TextResponses(ViewSources sources) {
        this.sources = sources;
    }

    /** @param path the path below that of the texts */
    Response respond(String path, ViewParameters parameters) throws RefusedException {
        return switch (path) {
            case "summary" -> {
                InspectText text = inspect(sources.nodes(parameters));
                yield () -> Buffer.buffer(text.summary());
            }
            case "details" -> details(parameters);
            case "nodes" -> nodes(parameters);
            case "top" -> top(parameters);
            case "top-pods" -> topPods(parameters);
            case "waste" -> waste(parameters);
            case "why" -> why(parameters);
            case "version" -> () -> Buffer.buffer("Extender: " + sources.view().version() + "\n");
            case "node-names" -> this::nodeNames;
            case "waiting-names" -> () -> waitingNames(parameters);
            default -> throw new RefusedException(404, HttpResponse.NOTHING_HERE);
        };
    }

    private static Response form(Output output, Supplier<Buffer> json, Supplier<String> text) {
        return () -> switch (output) {
            case TEXT, WIDE -> Buffer.buffer(text.get());
            case JSON -> json.get();
            case YAML -> yaml(json.get());
        };
    }

    static Buffer yaml(Buffer json) {
        StringWriter text = new StringWriter();
        try (JsonParser parser = JsonBody.FACTORY.createParser(json.getBytes());
                JsonGenerator yaml = YAML.createGenerator(text)) {
            parser.nextToken();
            yaml.copyCurrentStructure(parser);
        } catch (IOException e) {
            throw new UncheckedIOException("JSON of this program", e);
        }
        return Buffer.buffer(text.toString());
    }

    private Response details(ViewParameters parameters) throws RefusedException {
        List<NodeView> nodes = sources.nodes(parameters);
        Output output = parameters.output();
        Map<String, NodeUse> usage = output == Output.TEXT ? Map.of() : sources.usage(nodes);
        return form(output, () -> InspectJson.of(nodes, usage), inspect(nodes)::details);
    }

    private Response nodes(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        SortBy order = parameters.sortBy();
        List<NodeView> nodes = sources.nodes(parameters);
        boolean measured = output != Output.TEXT || order == SortBy.USED || order == SortBy.UNUSED;
        Map<String, NodeUse> usage = measured ? sources.usage(nodes) : Map.of();
        List<NodeView> inOrder = order.nodes(nodes, usage);
        return form(
                output,
                () -> InspectJson.of(inOrder, usage),
                () -> NodeText.of(inOrder, pending(nodes), usage, output == Output.WIDE));
    }

    private Response top(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        SortBy order = parameters.sortBy();
        List<NodeView> nodes = sources.nodes(parameters);
        Map<String, NodeUse> usage = sources.usage(nodes);
        List<NodeView> inOrder = order.nodes(nodes, usage);
        return form(
                output,
                () -> JsonWriter.of(json -> NodesJson.write(json, inOrder, usage)),
                () -> TopText.cards(inOrder, usage));
    }

    private Response topPods(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        SortBy order = parameters.sortBy();
        String namespace = parameters.text("namespace", "");
        List<NodeView> nodes = sources.nodes(parameters);
        Map<String, NodeUse> usage = sources.usage(nodes);
        return form(
                output,
                () -> JsonWriter.of(json -> WasteJson.pods(
                        json,
                        order.pods(PodOnCard.of(nodes, usage)).stream()
                                .filter(pod -> namespace.isEmpty()
                                        || namespace.equals(pod.pod().namespace()))
                                .toList())),
                () -> TopText.pods(nodes, usage, namespace, order));
    }

    private Response waste(ViewParameters parameters) throws RefusedException {
        sources.requireReady();
        if (parameters.has("sort-by")) {
            throw new RefusedException(400, "waste has the most first: omit --sort-by");
        }
        WasteReport report = sources.waste();
        String namespace = parameters.text("namespace", "");
        return form(
                parameters.output(),
                () -> JsonWriter.of(
                        json -> WasteJson.write(json, namespace.isEmpty() ? report : report.of(namespace), "")),
                () -> WasteText.of(report, namespace));
    }

    private Response why(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        // The reasons in groups are enough, unless the user wants to see nodes.
        boolean nodes = output == Output.WIDE || parameters.has("limit");
        int limit = nodes ? parameters.number("limit", NODES_OF_WHY, ViewSources.LARGEST_PAGE) : 0;
        Explanation explanation = sources.explain(parameters);
        return form(
                output,
                () -> JsonWriter.of(json -> ExplainJson.write(json, explanation, 0, nodes ? limit : NODES_OF_WHY)),
                () -> WhyText.of(explanation, limit));
    }

    private Buffer nodeNames() throws RefusedException {
        sources.requireReady();
        return lines(sources.ledger().nodes().stream()
                .filter(node -> !node.cards().cards().isEmpty())
                .map(NodeView::name));
    }

    private Buffer waitingNames(ViewParameters parameters) throws RefusedException {
        sources.requireReady();
        String namespace = parameters.text("namespace", "default");
        return lines(sources.ledger().waitingPods().stream()
                .map(WaitingPod::ref)
                .filter(pod -> pod.namespace().equals(namespace))
                .map(PodRef::name));
    }

    private static Buffer lines(Stream<String> names) {
        return Buffer.buffer(names.map(name -> name + "\n").collect(Collectors.joining()));
    }

    private InspectText inspect(List<NodeView> nodes) {
        return new InspectText(nodes, pending(nodes));
    }

    private Map<String, Long> pending(List<NodeView> nodes) {
        Map<String, Long> pending = sources.ledger().unattributedUnits();
        pending.keySet().retainAll(nodes.stream().map(NodeView::name).collect(Collectors.toSet()));
        return pending;
    }
}
