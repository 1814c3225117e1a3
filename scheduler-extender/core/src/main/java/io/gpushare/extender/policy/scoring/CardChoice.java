package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cards of a node that a pod could take; {@link #of} finds only those that fit.
 *
 * @param pod what it requests there: of a percentage of the memory the units, of an instance all that it has
 * @param shared the card that the pod would share; null if it requests whole cards only
 * @param whole the cards that the pod would take whole
 */
public record CardChoice(
        NodeEntry node, PodRequest pod, @Nullable CardState shared, List<CardState> whole) {
    public CardChoice {
        whole = List.copyOf(whole);
    }

    /**
     * The choices of cards on that node for the pod; empty if the pod does not fit. Of interchangeable cards only one
     * is named. Whole cards are of one kind if possible.
     */
    public static List<CardChoice> of(NodeEntry node, PodRequest pod) {
        boolean instance = pod.share().instances() > 0;
        HostResources host = node.free();
        if (pod.cpuMilli() > host.cpuMilli()
                || pod.memoryMib() > host.memoryMib()
                || (!instance && pod.units() > node.cards().open().freeUnits())) {
            return List.of();
        }
        List<CardChoice> choices = new ArrayList<>();
        if (!pod.shares()) {
            wholeCards(node, pod, null).forEach(whole -> choices.add(new CardChoice(node, pod, null, whole)));
            return choices;
        }
        @Nullable CardState last = null;
        for (CardState card : node.cards().open().cards()) {
            if (isFree(pod.share(), card) && pod.allows(card.kind()) && (last == null || !alike(last, card))) {
                last = card;
                // An instance whose memory nobody may share can still be taken whole: it has none to give.
                PodRequest here = pod.on(instance ? card.free() : card.capacity());
                wholeCards(node, pod, card).forEach(whole -> choices.add(new CardChoice(node, here, card, whole)));
            }
        }
        return choices;
    }

    private static List<List<CardState>> wholeCards(NodeEntry node, PodRequest pod, @Nullable CardState except) {
        int count = pod.cards();
        if (count == 0) {
            return List.of(List.of());
        }
        List<CardState> unused = node.cards().open().cards().stream()
                .filter(card -> isFree(Share.WHOLE_CARD, card)
                        && (except == null
                                || !card.card().id().equals(except.card().id()))
                        && pod.allows(card.kind()))
                .toList();
        List<List<CardState>> sets = new ArrayList<>();
        int begin = 0;
        for (int i = 1; i <= unused.size(); i++) {
            if (i == unused.size()
                    || !unused.get(i).kind().equals(unused.get(begin).kind())) {
                if (i - begin >= count) {
                    sets.add(unused.subList(begin, begin + count));
                }
                begin = i;
            }
        }
        return sets.isEmpty() && unused.size() >= count ? List.of(unused.subList(0, count)) : sets;
    }

    /** Whether that share of the card is free. */
    static boolean isFree(Share share, CardState card) {
        return share.on(card.capacity()).fits(card.free());
    }

    /** Whether a policy can't tell one card from the other. */
    public static boolean alike(CardState one, CardState other) {
        return one.free().equals(other.free()) && one.kind().equals(other.kind());
    }

    /** Memory units of the cards that the pod would get; a whole card counts with its capacity. */
    public long units() {
        long units = shared == null ? 0 : pod.units();
        for (CardState card : whole) {
            units += card.kind().units();
        }
        return units;
    }

    /** The open cards of the node with the pod on them. */
    List<CardState> cardsAfter() {
        List<CardState> after = new ArrayList<>(node.cards().open().cards());
        after.replaceAll(card -> card.allocated(card.allocated().plus(taken(card))));
        return after;
    }

    /** What it takes of that card: a part, or an instance with all that it has. */
    private Share sharedPart() {
        return pod.share().instances() > 0 ? Share.INSTANCE : pod.share();
    }

    private Share taken(CardState card) {
        CardId id = card.card().id();
        if (shared != null && id.equals(shared.card().id())) {
            return sharedPart();
        }
        return whole.stream().anyMatch(each -> each.card().id().equals(id)) ? Share.WHOLE_CARD : Share.NONE;
    }

    /** The node with the pod on it, as that holder; without cards only its CPU and memory count. */
    public NodeEntry after(PodRef holder) {
        NodeEntry after = node.requested(pod.host());
        List<ContainerAllocation> containers = new ArrayList<>();
        if (shared != null) {
            containers.add(new ContainerAllocation(
                    "shared", ContainerRole.APP, Map.of(shared.card().id(), sharedPart())));
        }
        if (!whole.isEmpty()) {
            Map<CardId, Share> shares = new LinkedHashMap<>();
            whole.forEach(card -> shares.put(card.card().id(), Share.WHOLE_CARD));
            containers.add(new ContainerAllocation("whole", ContainerRole.APP, shares));
        }
        return containers.isEmpty()
                ? after
                : after.with(holder, new Allocation(node.cards().inventory().unit(), containers));
    }
}
