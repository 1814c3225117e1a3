package io.gpushare.extender.search;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.node.NodeRules;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is to fit, where, and which pods may leave for it.
 *
 * @param pod uid of the pod that is to fit; null if as many cards as possible are to be freed for pods that may come
 * @param priority of that pod: cards that are kept for pods of lower priority are free for it
 * @param demand what is to fit
 * @param nodes the nodes, by name, on which it may fit
 * @param mayLeave which of the pods on these nodes may leave
 * @param moves what is known of the pods, which are moved to other cards; null if they are lost
 * @param mostPods the most pods that leave
 */
public record Question(
        @Nullable String pod,
        int priority,
        PodDemand.Valid demand,
        Predicate<String> nodes,
        Predicate<PodEntry> mayLeave,
        @Nullable PodKnowledge moves,
        int mostPods) {
    /** The most pods that are evicted for one pod. */
    static final int MOST_VICTIMS = 64;

    private static final PodDemand.Valid WHOLE_CARD = new PodDemand.Valid(
            new Demand(List.of(new ContainerDemand("card", ContainerRole.APP, Share.WHOLE_CARD))),
            new PodRequest(0, 0, 0, 1, Set.of()),
            null,
            List.of(),
            List.of(),
            NodeRules.ANY,
            false);

    /** Which pods of lower priority kube-scheduler evicts for the pod. */
    public static Question preemption(PodRef pod, int priority, PodDemand.Valid demand) {
        return new Question(
                pod.uid(),
                priority,
                demand,
                _ -> true,
                other -> other.priority().value() < priority,
                null,
                Integer.MAX_VALUE);
    }

    /**
     * Which pods of lower priority this extender evicts for the waiting pod, beside those that terminate anyway.
     *
     * @param spared uids of pods that can't be evicted
     */
    public static Question eviction(PodEntry pod, Predicate<String> nodes, Set<String> spared) {
        return eviction(pod.ref(), pod.priority().value(), pod.podDemand(), nodes, spared);
    }

    /** As the other, for a pod that the API server's watch may not have shown yet. */
    public static Question eviction(
            PodRef pod, int priority, PodDemand.Valid demand, Predicate<String> nodes, Set<String> spared) {
        return new Question(
                pod.uid(),
                priority,
                demand,
                nodes,
                other -> other.priority().terminating()
                        || (other.priority().value() < priority
                                && !spared.contains(other.ref().uid())),
                null,
                MOST_VICTIMS);
    }

    /** Which pods to move so that the waiting pod fits. */
    public static Question moves(PodEntry pod, Predicate<String> nodes, PodKnowledge known, int most) {
        String uid = pod.ref().uid();
        return new Question(
                uid,
                pod.priority().value(),
                pod.podDemand(),
                node -> nodes.test(node) && known.accepts(uid, node),
                other -> movable(other, known),
                known,
                most);
    }

    /** Which pods to move so that as many cards as possible are free that serve memory pods now. */
    public static Question wholeCards(Predicate<String> nodes, PodKnowledge known, int most) {
        return new Question(
                null,
                Integer.MIN_VALUE,
                WHOLE_CARD,
                nodes,
                other -> movable(other, known) && other.demand().total().takenWhole() == 0,
                known,
                most);
    }

    private static boolean movable(PodEntry pod, PodKnowledge known) {
        @Nullable PodController controller = pod.controller();
        return controller != null
                && controller.moves()
                && !pod.priority().terminating()
                && pod.holdings().size() == 1
                && !known.spared(pod.ref().uid());
    }

    /** @param cards those of its node */
    Harm harm(PodEntry leaving, NodeCards cards) {
        return moves == null
                ? Harm.ofEviction(
                        leaving.priority(),
                        cards.allocationOf(leaving.ref().uid())
                                .map(cards::units)
                                .orElse(0L))
                : Harm.ofMove(leaving.demand().total().units());
    }
}
