package io.gpushare.extender.page;

import com.fasterxml.jackson.core.JsonParser;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.protocol.PodReader;
import io.gpushare.extender.report.Explanation;
import io.gpushare.extender.view.ClusterJson;
import io.gpushare.extender.view.ExplainJson;
import io.gpushare.extender.view.NodesJson;
import io.gpushare.extender.view.ViewRevisions;
import io.gpushare.extender.view.WasteJson;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the responses of the view, from a request's parameters. */
final class ViewResponses {
    private static final int LARGEST_SELECTION = 100;
    private static final int PAGE = 50;
    private static final String TEXT = "text/";
    private static final Set<String> IMMEDIATE =
            Set.of("cluster", "find", "waste", "text/waste", "text/version", "text/node-names", "text/waiting-names");

    private final ViewSources sources;
    private final ViewRevisions revisions;
    private final TextResponses texts;
    private final DefragResponses defrag;

    ViewResponses(ViewSources sources, ViewRevisions revisions) {
        this.sources = sources;
        this.revisions = revisions;
        texts = new TextResponses(sources);
        defrag = new DefragResponses(sources);
    }

    /** A response for which everything has been fetched. */
    interface Response {
        Buffer make() throws RefusedException;
    }

    /** Whether {@link #respond} waits for device plugins or the API server, for seconds at most. */
    static boolean waits(String path) {
        return !IMMEDIATE.contains(path);
    }

    /** @param path the path below that of the view */
    Response respond(String path, MultiMap values) throws RefusedException {
        ViewParameters parameters = new ViewParameters(values);
        if (DefragResponses.PATHS.contains(path)) {
            return defrag.respond(path, parameters);
        }
        return switch (path) {
            case "cluster" -> () -> cluster(parameters);
            case "nodes" -> nodes(parameters);
            case "find" -> () -> find(parameters);
            case "waste" ->
                () -> JsonWriter.of(json -> WasteJson.write(json, sources.waste(), parameters.text("since", "")));
            case "explain" -> {
                Explanation explanation = sources.explain(parameters);
                yield () -> page(explanation, parameters);
            }
            default -> {
                if (!path.startsWith(TEXT)) {
                    throw new RefusedException(404, HttpResponse.NOTHING_HERE);
                }
                yield texts.respond(path.substring(TEXT.length()), parameters);
            }
        };
    }

    private Buffer cluster(ViewParameters parameters) {
        var changes = revisions.since(parameters.text("since", ""), System.nanoTime());
        return JsonWriter.of(json -> ClusterJson.write(
                json, changes, sources.unready(), sources.view().grafana()));
    }

    private Response nodes(ViewParameters parameters) throws RefusedException {
        List<String> names = parameters.names("names", LARGEST_SELECTION);
        List<NodeView> found = names.isEmpty()
                ? sources.ledger().nodes()
                : names.stream()
                        .flatMap(name -> sources.ledger().node(name).stream())
                        .toList();
        Map<String, NodeUse> usage = sources.usage(found);
        return () -> JsonWriter.of(json -> NodesJson.write(json, found, usage));
    }

    private Buffer find(ViewParameters parameters) throws RefusedException {
        String pod = parameters.text("pod", "");
        if (pod.isEmpty()) {
            throw new RefusedException(400, "write in 'pod' a part of the pod's namespace/name");
        }
        return JsonWriter.of(json -> NodesJson.having(json, sources.ledger().nodes(), pod));
    }

    /** Explains a pod whose manifest is the body. */
    Buffer explain(MultiMap values, byte[] body) throws RefusedException {
        sources.requireReady();
        try (JsonParser parser = JsonBody.FACTORY.createParser(body)) {
            parser.nextToken();
            @Nullable SchedulingPod pod = PodReader.read(parser);
            if (pod == null || pod.containers().isEmpty()) {
                throw new RefusedException(400, "the body is no Pod with containers, as JSON");
            }
            return page(sources.explain(pod), new ViewParameters(values));
        } catch (BadRequestException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new RefusedException(400, "the body is not JSON: send the manifest of one Pod as JSON");
        }
    }

    private static Buffer page(Explanation explanation, ViewParameters parameters) throws RefusedException {
        int limit = parameters.number("limit", PAGE, ViewSources.LARGEST_PAGE);
        int from = parameters.number("from", 0, Integer.MAX_VALUE);
        return JsonWriter.of(json -> ExplainJson.write(json, explanation, from, limit));
    }
}
