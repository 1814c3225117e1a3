package io.gpushare.extender.page;

import io.gpushare.extender.defrag.DefragAdvisor;
import io.gpushare.extender.defrag.DefragAdvisor.Advised;
import io.gpushare.extender.defrag.MoveProgress;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.page.ViewResponses.Response;
import io.gpushare.extender.view.DefragJson;
import io.gpushare.extender.view.text.DefragText;
import io.gpushare.model.PodRef;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The responses about moves of pods: the advice, and what {@code kubectl gpushare defrag --apply} asks between moves. */
final class DefragResponses {
    static final Set<String> PATHS =
            Set.of("defrag", "text/defrag", "text/defrag-step", "text/defrag-moved", "text/defrag-bound");

    private static final int USUAL_MOVES = 10;

    private final ViewSources sources;

    DefragResponses(ViewSources sources) {
        this.sources = sources;
    }

    Response respond(String path, ViewParameters parameters) throws RefusedException {
        sources.requireReady();
        try {
            return switch (path) {
                case "defrag" -> {
                    List<Advised> advised = advised(parameters);
                    yield () -> JsonWriter.of(json -> DefragJson.write(json, advised));
                }
                case "text/defrag" -> text(new DefragText(sources.ledger()).of(advised(parameters)));
                case "text/defrag-step" -> text(new DefragText(sources.ledger()).step(goal(parameters)));
                case "text/defrag-moved" ->
                    text(MoveProgress.waitsFor(
                                    sources.ledger(),
                                    parameters.text("uid", ""),
                                    parameters.text("controller", ""),
                                    parameters.number("placed", 0, Integer.MAX_VALUE))
                            .map(what -> "until " + what + "\n")
                            .orElse("moved\n"));
                case "text/defrag-bound" -> text(bound(parameters.text("uid", "")));
                default -> throw new RefusedException(404, HttpResponse.NOTHING_HERE);
            };
        } catch (DefragAdvisor.UnavailableException e) {
            throw new RefusedException(503, String.valueOf(e.getMessage()));
        }
    }

    private static Response text(String text) {
        return () -> Buffer.buffer(text);
    }

    /** The plans for the pod that is named, or for whole cards and some waiting pods. */
    private List<Advised> advised(ViewParameters parameters)
            throws RefusedException, DefragAdvisor.UnavailableException {
        boolean one = parameters.text("goal", "").equals("one");
        return one || named(parameters)
                ? List.of(goal(parameters))
                : sources.view().defrag().overview(parameters.text("run", ""), moves(parameters));
    }

    private Advised goal(ViewParameters parameters) throws RefusedException, DefragAdvisor.UnavailableException {
        String run = parameters.text("run", "");
        return named(parameters)
                ? sources.view().defrag().waiting(waiting(parameters), run, moves(parameters))
                : sources.view().defrag().wholeCards(run, moves(parameters));
    }

    private static boolean named(ViewParameters parameters) {
        return parameters.has("pod");
    }

    private static int moves(ViewParameters parameters) throws RefusedException {
        return parameters.number("moves", USUAL_MOVES, DefragAdvisor.MOST_MOVES);
    }

    private PodRef waiting(ViewParameters parameters) throws RefusedException {
        String namespace = parameters.text("namespace", "default");
        String name = parameters.text("pod", "");
        return sources.ledger().waiting().stream()
                .map(PodEntry::ref)
                .filter(pod -> pod.namespace().equals(namespace) && pod.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new RefusedException(
                        404, "no pod \"" + name + "\" in namespace " + namespace + " waits for GPU cards"));
    }

    private String bound(String uid) {
        Optional<PodEntry> pod = sources.ledger().podEntry(uid);
        @Nullable String node = pod.map(PodEntry::node).orElse(null);
        return pod.isEmpty() ? "gone\n" : node == null ? "waits\n" : "bound " + node + "\n";
    }
}
