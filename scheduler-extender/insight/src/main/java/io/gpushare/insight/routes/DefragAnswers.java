package io.gpushare.insight.routes;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.insight.defrag.DefragAdvisor;
import io.gpushare.insight.defrag.DefragAdvisor.UnavailableException;
import io.gpushare.insight.routes.Answer.Question;
import io.gpushare.insight.text.DefragText;
import io.gpushare.insight.view.DefragPlans;
import io.gpushare.model.PodRef;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Answers which pods to move. */
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
                        }));
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

    /** The plan for the pod that is named, or those for whole cards and some waiting pods. */
    private DefragPlans plans(ViewParameters parameters) throws RefusedException, UnavailableException {
        int moves = moves(parameters);
        ClusterState state = states.get();
        return DefragPlans.of(
                parameters.has("pod")
                        ? List.of(advisor.waiting(waiting(state, parameters), moves))
                        : advisor.overview(moves),
                state);
    }

    private static int moves(ViewParameters parameters) throws RefusedException {
        return parameters.number("moves", USUAL_MOVES, DefragAdvisor.MOST_MOVES);
    }

    private static PodRef waiting(ClusterState state, ViewParameters parameters) throws RefusedException {
        String namespace = parameters.text("namespace", "default");
        String name = parameters.text("pod", "");
        return state.waiting().stream()
                .map(PodEntry::ref)
                .filter(pod -> pod.namespace().equals(namespace) && pod.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new RefusedException(
                        404, "no pod \"" + name + "\" in namespace " + namespace + " waits for GPU cards"));
    }
}
