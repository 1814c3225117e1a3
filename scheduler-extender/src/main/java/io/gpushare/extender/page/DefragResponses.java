package io.gpushare.extender.page;

import io.gpushare.extender.defrag.DefragAdvice;
import io.gpushare.extender.defrag.DefragAdvice.Advised;
import io.gpushare.extender.defrag.MoveProgress;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.page.ViewResponses.RefusedException;
import io.gpushare.extender.page.ViewResponses.Response;
import io.gpushare.extender.view.DefragJson;
import io.gpushare.extender.view.text.DefragText;
import io.gpushare.model.PodRef;
import io.vertx.core.MultiMap;
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

    private final Ledger ledger;
    private final DefragAdvice advice;

    DefragResponses(Ledger ledger, DefragAdvice advice) {
        this.ledger = ledger;
        this.advice = advice;
    }

    Response respond(String path, MultiMap parameters) throws RefusedException {
        try {
            return switch (path) {
                case "defrag" -> {
                    List<Advised> advised = advised(parameters);
                    yield () -> JsonWriter.of(json -> DefragJson.write(json, advised));
                }
                case "text/defrag" -> text(new DefragText(ledger).of(advised(parameters)));
                case "text/defrag-step" -> text(new DefragText(ledger).step(goal(parameters)));
                case "text/defrag-moved" ->
                    text(MoveProgress.waitsFor(
                                    ledger,
                                    ViewResponses.parameter(parameters, "uid", ""),
                                    ViewResponses.parameter(parameters, "controller", ""),
                                    ViewResponses.number(parameters, "placed", 0, Integer.MAX_VALUE))
                            .map(what -> "until " + what + "\n")
                            .orElse("moved\n"));
                case "text/defrag-bound" -> text(bound(ViewResponses.parameter(parameters, "uid", "")));
                default -> throw new RefusedException(404, HttpResponse.NOTHING_HERE);
            };
        } catch (DefragAdvice.UnavailableException e) {
            throw new RefusedException(503, String.valueOf(e.getMessage()));
        }
    }

    private static Response text(String text) {
        return () -> Buffer.buffer(text);
    }

    /** The plans for the pod that is named, or for whole cards and some waiting pods. */
    private List<Advised> advised(MultiMap parameters) throws RefusedException, DefragAdvice.UnavailableException {
        boolean one = ViewResponses.parameter(parameters, "goal", "").equals("one");
        return one || named(parameters)
                ? List.of(goal(parameters))
                : advice.overview(ViewResponses.parameter(parameters, "run", ""), moves(parameters));
    }

    private Advised goal(MultiMap parameters) throws RefusedException, DefragAdvice.UnavailableException {
        String run = ViewResponses.parameter(parameters, "run", "");
        return named(parameters)
                ? advice.waiting(waiting(parameters), run, moves(parameters))
                : advice.wholeCards(run, moves(parameters));
    }

    private static boolean named(MultiMap parameters) {
        return !ViewResponses.parameter(parameters, "pod", "").isEmpty();
    }

    private static int moves(MultiMap parameters) throws RefusedException {
        return ViewResponses.number(parameters, "moves", USUAL_MOVES, DefragAdvice.MOST_MOVES);
    }

    private PodRef waiting(MultiMap parameters) throws RefusedException {
        String namespace = ViewResponses.parameter(parameters, "namespace", "default");
        String name = ViewResponses.parameter(parameters, "pod", "");
        return ledger.waiting().stream()
                .map(PodEntry::ref)
                .filter(pod -> pod.namespace().equals(namespace) && pod.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new RefusedException(
                        404, "no pod \"" + name + "\" in namespace " + namespace + " waits for GPU cards"));
    }

    private String bound(String uid) {
        Optional<PodEntry> pod = ledger.podEntry(uid);
        @Nullable String node = pod.map(PodEntry::node).orElse(null);
        return pod.isEmpty() ? "gone\n" : node == null ? "waits\n" : "bound " + node + "\n";
    }
}
