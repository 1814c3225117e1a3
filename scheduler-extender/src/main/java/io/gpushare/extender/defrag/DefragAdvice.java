package io.gpushare.extender.defrag;

import io.gpushare.model.PodRef;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Advises which pods to move, when everything about these pods has been read. The calls block, and take seconds at most. */
public interface DefragAdvice {
    /** The most moves of one plan. */
    int MOST_MOVES = 64;

    /**
     * Plans for one goal.
     *
     * @param waiting the pod that should fit; null for whole cards
     * @param budgets whether the PodDisruptionBudgets were read, and allow each of the moves
     */
    record Advised(@Nullable PodRef waiting, DefragPlan plan, boolean budgets) {
        public Advised {
            Objects.requireNonNull(plan);
        }
    }

    /** There is no advice now; the message says why. */
    final class UnavailableException extends Exception {
        private static final long serialVersionUID = 1;

        public UnavailableException(String message) {
            super(message);
        }
    }

    /**
     * Which moves free whole cards.
     *
     * @param run the run of moves that asks; nodes whose cards another run holds are left out
     */
    Advised wholeCards(String run, int mostMoves) throws UnavailableException;

    /** Which moves make that waiting pod fit. */
    Advised waiting(PodRef pod, String run, int mostMoves) throws UnavailableException;

    /** Which moves free whole cards, and which make some of the waiting pods fit, the most important ones first. */
    List<Advised> overview(String run, int mostMoves) throws UnavailableException;
}
