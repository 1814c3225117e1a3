package io.gpushare.insight.routes;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.insight.defrag.DefragAdvisor;
import io.gpushare.insight.defrag.DefragAdvisor.Advised;
import io.gpushare.insight.defrag.DefragAdvisor.UnavailableException;
import io.gpushare.insight.defrag.MoveProgress;
import io.gpushare.insight.routes.Answer.Question;
import io.gpushare.insight.text.DefragStep;
import io.gpushare.insight.text.DefragText;
import io.gpushare.insight.view.DefragPlans;
import io.gpushare.model.PodRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers about moves of pods: the advice, and what {@code kubectl gpushare defrag --apply} asks between moves. */
final class DefragAnswers {
    private static final int USUAL_MOVES = 10;

    private final Supplier<ClusterState> states;
    private final DefragAdvisor advisor;

    DefragAnswers(Supplier<ClusterState> states, DefragAdvisor advisor) {
        this.states = states;
        this.advisor = advisor;
    }

    /** Asks the advisor. */
    private interface Advice {
        Answer ask(ViewParameters parameters) throws RefusedException, UnavailableException;
    }

    /** The questions by path. */
    Map<String, Question> questions() {
        return Map.of(
                "defrag",
                        advice(parameters -> {
                            DefragPlans plans = plans(parameters);
                            return Answer.json(() -> plans);
                        }),
                "text/defrag",
                        advice(parameters -> {
                            DefragPlans plans = plans(parameters);
                            return Answer.text(() -> DefragText.of(plans));
                        }),
                "text/defrag-step",
                        advice(parameters -> {
                            Advised goal = goal(parameters);
                            return Answer.text(() -> DefragStep.of(goal, states.get()));
                        }),
                "text/defrag-moved", this::moved,
                "text/defrag-bound", parameters -> Answer.text(() -> bound(parameters.text("uid", ""))));
    }

    private static Question advice(Advice advice) {
        return parameters -> {
            try {
                return advice.ask(parameters);
            } catch (UnavailableException e) {
                throw new RefusedException(503, String.valueOf(e.getMessage()));
            }
        };
    }

    /** The plans for the pod that is named, or for whole cards and some waiting pods. */
    private DefragPlans plans(ViewParameters parameters) throws RefusedException, UnavailableException {
        boolean one = parameters.text("goal", "").equals("one") || parameters.has("pod");
        return DefragPlans.of(
                one ? List.of(goal(parameters)) : advisor.overview(parameters.text("run", ""), moves(parameters)),
                states.get());
    }

    private Advised goal(ViewParameters parameters) throws RefusedException, UnavailableException {
        String run = parameters.text("run", "");
        return parameters.has("pod")
                ? advisor.waiting(waiting(parameters), run, moves(parameters))
                : advisor.wholeCards(run, moves(parameters));
    }

    private static int moves(ViewParameters parameters) throws RefusedException {
        return parameters.number("moves", USUAL_MOVES, DefragAdvisor.MOST_MOVES);
    }

    private PodRef waiting(ViewParameters parameters) throws RefusedException {
        String namespace = parameters.text("namespace", "default");
        String name = parameters.text("pod", "");
        return states.get().waiting().stream()
                .map(PodEntry::ref)
                .filter(pod -> pod.namespace().equals(namespace) && pod.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new RefusedException(
                        404, "no pod \"" + name + "\" in namespace " + namespace + " waits for GPU cards"));
    }

    private Answer moved(ViewParameters parameters) throws RefusedException {
        int placed = parameters.number("placed", 0, Integer.MAX_VALUE);
        return Answer.text(() -> MoveProgress.waitsFor(
                        states.get(), parameters.text("uid", ""), parameters.text("controller", ""), placed)
                .map(what -> "until " + what + "\n")
                .orElse("moved\n"));
    }

    private String bound(String uid) {
        Optional<PodEntry> pod = states.get().pod(uid);
        @Nullable String node = pod.map(PodEntry::node).orElse(null);
        return pod.isEmpty() ? "gone\n" : node == null ? "waits\n" : "bound " + node + "\n";
    }
}
