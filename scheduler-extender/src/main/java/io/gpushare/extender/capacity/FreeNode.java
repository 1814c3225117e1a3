package io.gpushare.extender.capacity;

import io.gpushare.extender.policy.scoring.NameHash;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.HostResources;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One node as a policy sees it: what is free there at one moment. Immutable. */
public final class FreeNode {
    /**
     * The one order in which nodes are looked at, so that of equally good nodes always the same is taken. It is a hash of
     * the name: names go by kind of node, and an order by kind would be a policy of its own.
     */
    public static final Comparator<FreeNode> ORDER =
            Comparator.<FreeNode>comparingLong(node -> node.order).thenComparing(FreeNode::name);

    /** Of which nothing is known. */
    public static final FreeNode NOWHERE = of("", 0, 0, 0, List.of());

    private final String name;
    private final long order;
    private final long cpuMilli;
    private final long memoryMib;
    private final List<FreeCard> cards;
    private final long units;
    private final long idle;

    private FreeNode(String name, long order, long cpuMilli, long memoryMib, List<FreeCard> cards) {
        this.name = name;
        this.order = order;
        this.cpuMilli = cpuMilli;
        this.memoryMib = memoryMib;
        this.cards = cards.stream().sorted(FreeCard.ORDER).toList();
        this.units = cards.stream().mapToLong(card -> card.kind().units()).sum();
        this.idle = cards.stream().mapToLong(FreeCard::free).sum();
    }

    /**
     * A node with that much free.
     *
     * @param salt 0; another number gives another fixed order, to see how much hangs on it
     * @param cpuMilli thousandths of a cpu that are free
     * @param memoryMib MiB of the node's memory that are free
     * @param cards its well cards
     */
    public static FreeNode of(String name, long salt, long cpuMilli, long memoryMib, List<FreeCard> cards) {
        Objects.requireNonNull(name);
        Set<Integer> seen = new HashSet<>();
        for (FreeCard card : cards) {
            if (!seen.add(card.index())) {
                throw new IllegalArgumentException("node " + name + " has card " + card.index() + " twice");
            }
        }
        return new FreeNode(name, NameHash.of(name.getBytes(StandardCharsets.UTF_8), salt), cpuMilli, memoryMib, cards);
    }

    /** The same node with other amounts free. */
    public FreeNode with(HostResources free, List<FreeCard> changed) {
        return new FreeNode(name, order, free.cpuMilli(), free.memoryMib(), changed);
    }

    public String name() {
        return name;
    }

    /** Its place in {@link #ORDER}, which hangs on its name alone. */
    public long order() {
        return order;
    }

    /** Free cpu in thousandths; below 0 where more is requested than the node has. */
    public long cpuMilli() {
        return cpuMilli;
    }

    /** Free memory of the node in MiB; below 0 where more is requested than the node has. */
    public long memoryMib() {
        return memoryMib;
    }

    /** Its well cards, small ones first, and of equal ones those with the least room. */
    public List<FreeCard> cards() {
        return cards;
    }

    /** Units of all its cards. */
    public long units() {
        return units;
    }

    /** Units that are free on all its cards. */
    public long idle() {
        return idle;
    }

    /**
     * The choices of cards that this node offers to the pod; none where it doesn't fit. Of cards that are alike only one
     * is named. Whole cards are of one kind where that is possible.
     */
    public List<Candidate> ways(PodRequest pod) {
        if (pod.cpuMilli() > cpuMilli || pod.memoryMib() > memoryMib || (long) pod.units() > idle) {
            return List.of();
        }
        List<Candidate> ways = new ArrayList<>();
        if (pod.units() == 0) {
            wholes(pod, null).forEach(whole -> ways.add(new Candidate(this, pod, null, whole)));
            return ways;
        }
        @Nullable FreeCard last = null;
        for (FreeCard card : cards) {
            if (card.free() >= pod.units() && pod.allows(card.kind()) && (last == null || !last.sameAs(card))) {
                last = card;
                wholes(pod, card).forEach(whole -> ways.add(new Candidate(this, pod, card, whole)));
            }
        }
        return ways;
    }

    /** The way of least cost, and its cost. */
    public record Best(@Nullable Candidate way, double cost) {}

    /** Which of the {@link #ways} costs least, the first of equals; none, at infinite cost, where the pod doesn't fit. */
    public Best best(Scoring scoring, PodRequest pod) {
        @Nullable Candidate way = null;
        double least = Double.POSITIVE_INFINITY;
        for (Candidate each : ways(pod)) {
            double cost = scoring.cost(each);
            if (way == null || cost < least - Scoring.SAME) {
                way = each;
                least = cost;
            }
        }
        return new Best(way, least);
    }

    private List<List<FreeCard>> wholes(PodRequest pod, @Nullable FreeCard except) {
        int count = pod.cards();
        if (count == 0) {
            return List.of(List.of());
        }
        List<FreeCard> free = cards.stream()
                .filter(card ->
                        card.whole() && (except == null || card.index() != except.index()) && pod.allows(card.kind()))
                .toList();
        List<List<FreeCard>> sets = new ArrayList<>();
        int begin = 0;
        for (int i = 1; i <= free.size(); i++) {
            if (i == free.size() || !free.get(i).kind().equals(free.get(begin).kind())) {
                if (i - begin >= count) {
                    sets.add(free.subList(begin, begin + count));
                }
                begin = i;
            }
        }
        return sets.isEmpty() && free.size() >= count ? List.of(free.subList(0, count)) : sets;
    }

    FreeNode after(PodRequest pod, @Nullable FreeCard shared, List<FreeCard> whole) {
        List<FreeCard> left = new ArrayList<>(cards.size());
        for (FreeCard card : cards) {
            int taken = shared != null && card.index() == shared.index()
                    ? pod.units()
                    : whole.contains(card) ? card.free() : 0;
            left.add(taken == 0 ? card : new FreeCard(card.index(), card.kind(), card.free() - taken));
        }
        return new FreeNode(name, order, cpuMilli - pod.cpuMilli(), memoryMib - pod.memoryMib(), left);
    }

    @Override
    public String toString() {
        return name + "[cpu " + cpuMilli + "m, memory " + memoryMib + "MiB, " + cards + "]";
    }
}
