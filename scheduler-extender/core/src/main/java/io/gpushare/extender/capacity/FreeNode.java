package io.gpushare.extender.capacity;

import io.gpushare.model.HostResources;
import io.gpushare.model.card.Share;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is free on one node at one moment, as a policy sees it. Immutable. */
public final class FreeNode {
    /**
     * The fixed order of nodes that decides among equally good ones. It is a hash of the name: names often go by kind
     * of node, and an order by kind would be a policy of its own. Random ties cost FGD 4 points.
     */
    public static final Comparator<FreeNode> ORDER =
            Comparator.<FreeNode>comparingLong(node -> node.order).thenComparing(FreeNode::name);

    /** The node in place of one that the extender does not know. */
    public static final FreeNode NOWHERE = of("", 0, 0, 0, List.of());

    private final String name;
    private final long order;
    private final long cpuMilli;
    private final long memoryMib;
    private final List<FreeCard> cards;
    private final long units;
    private final long freeUnits;

    private FreeNode(String name, long order, long cpuMilli, long memoryMib, List<FreeCard> cards) {
        this.name = name;
        this.order = order;
        this.cpuMilli = cpuMilli;
        this.memoryMib = memoryMib;
        this.cards = cards.stream().sorted(FreeCard.ORDER).toList();
        this.units = cards.stream().mapToLong(card -> card.kind().units()).sum();
        this.freeUnits = cards.stream().mapToLong(FreeCard::units).sum();
    }

    /**
     * A node with these resources free.
     *
     * @param salt 0; another number gives another {@link #ORDER}, to measure how much depends on it
     * @param cpuMilli thousandths of a CPU
     * @param memoryMib the node's memory, in MiB
     * @param cards its healthy cards
     */
    public static FreeNode of(String name, long salt, long cpuMilli, long memoryMib, List<FreeCard> cards) {
        Set<Integer> indices = new HashSet<>();
        for (FreeCard card : cards) {
            if (!indices.add(card.index())) {
                throw new IllegalArgumentException("node " + name + " has card " + card.index() + " twice");
            }
        }
        return new FreeNode(name, NameHash.of(name.getBytes(StandardCharsets.UTF_8), salt), cpuMilli, memoryMib, cards);
    }

    /** The same node with other resources free. */
    public FreeNode with(HostResources free, List<FreeCard> changed) {
        return new FreeNode(name, order, free.cpuMilli(), free.memoryMib(), changed);
    }

    public String name() {
        return name;
    }

    /** The key of {@link #ORDER}, which depends on the name alone. */
    public long order() {
        return order;
    }

    /** Free CPU in thousandths; negative where pods request more than the node has. */
    public long cpuMilli() {
        return cpuMilli;
    }

    /** Free memory of the node in MiB; negative where pods request more than the node has. */
    public long memoryMib() {
        return memoryMib;
    }

    /** The healthy cards, small ones first, and among equal ones those with the least free memory first. */
    public List<FreeCard> cards() {
        return cards;
    }

    /** Memory units of all its cards. */
    public long units() {
        return units;
    }

    /** Free memory units on all its cards. */
    public long freeUnits() {
        return freeUnits;
    }

    /**
     * The choices of cards on this node for the pod; empty if the pod does not fit. Of interchangeable cards only one
     * is named. Whole cards are of one kind if possible.
     */
    public List<Candidate> candidates(PodRequest pod) {
        boolean instance = pod.share().instances() > 0;
        if (pod.cpuMilli() > cpuMilli || pod.memoryMib() > memoryMib || (!instance && pod.units() > freeUnits)) {
            return List.of();
        }
        List<Candidate> candidates = new ArrayList<>();
        if (!pod.shares()) {
            wholeCards(pod, null).forEach(whole -> candidates.add(new Candidate(this, pod, null, whole)));
            return candidates;
        }
        @Nullable FreeCard last = null;
        for (FreeCard card : cards) {
            if (card.offers(pod.share()) && pod.allows(card.kind()) && (last == null || !last.sameAs(card))) {
                last = card;
                // An instance whose memory nobody may share can still be taken whole: it has none to give.
                PodRequest here = pod.on(instance ? card.free() : card.kind().capacity());
                wholeCards(pod, card).forEach(whole -> candidates.add(new Candidate(this, here, card, whole)));
            }
        }
        return candidates;
    }

    private List<List<FreeCard>> wholeCards(PodRequest pod, @Nullable FreeCard except) {
        int count = pod.cards();
        if (count == 0) {
            return List.of(List.of());
        }
        List<FreeCard> unused = cards.stream()
                .filter(card -> card.offers(Share.WHOLE_CARD)
                        && (except == null || card.index() != except.index())
                        && pod.allows(card.kind()))
                .toList();
        List<List<FreeCard>> sets = new ArrayList<>();
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

    FreeNode after(PodRequest pod, @Nullable FreeCard shared, List<FreeCard> whole) {
        List<FreeCard> left = new ArrayList<>(cards.size());
        for (FreeCard card : cards) {
            if (shared != null && card.index() == shared.index()) {
                left.add(card.minus(pod.share()));
            } else {
                left.add(whole.contains(card) ? card.minus(card.free()) : card);
            }
        }
        return new FreeNode(name, order, cpuMilli - pod.cpuMilli(), memoryMib - pod.memoryMib(), left);
    }

    @Override
    public String toString() {
        return name + "[cpu " + cpuMilli + "m, memory " + memoryMib + "MiB, " + cards + "]";
    }
}
