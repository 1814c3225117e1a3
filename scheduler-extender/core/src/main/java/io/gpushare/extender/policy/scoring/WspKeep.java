package io.gpushare.extender.policy.scoring;

import io.gpushare.model.ledger.CardState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * WSP that keeps unused cards, and nodes with several of them, for jobs of whole cards, even if none has come yet: it
 * looks further ahead than WSP, and adds to the cost
 *
 * <ul>
 *   <li>a part of the card, where a share is the first one on a card or MIG instance;
 *   <li>what the node loses of the largest job of 1, 2, 4 or 8 whole cards that fits there, beyond the cards taken.
 * </ul>
 */
public record WspKeep(Wsp wsp) implements Scoring {
    private static final int DEPTH = 40;
    private static final double FIRST_SHARE = 0.3;
    private static final int LARGEST_JOB = 8;

    public WspKeep(DemandHistory history, ClusterCapacity capacity) {
        this(new Wsp(history, capacity, DEPTH));
    }

    @Override
    public double cost(CardChoice choice) {
        double cost = wsp.cost(choice);
        int taken = choice.whole().size();
        @Nullable CardState shared = choice.shared();
        if (shared != null && shared.unused() && choice.pod().share().instances() == 0) {
            cost += FIRST_SHARE * shared.kind().units();
            taken += shared.kind().instance() ? 0 : 1;
        }
        return taken == 0 ? cost : cost + lostJob(choice.node().cards().open().cards(), taken);
    }

    private static double lostJob(List<CardState> cards, int taken) {
        int full = 0;
        int unused = 0;
        double units = 0;
        for (CardState card : cards) {
            if (!card.kind().instance()) {
                full++;
                unused += card.unused() ? 1 : 0;
                units += card.kind().units();
            }
        }
        int lost = largestJob(unused) - largestJob(unused - taken) - taken;
        return lost <= 0 ? 0 : lost * (units / full) / LARGEST_JOB;
    }

    private static int largestJob(int cards) {
        return Integer.highestOneBit(Math.min(cards, LARGEST_JOB));
    }
}
