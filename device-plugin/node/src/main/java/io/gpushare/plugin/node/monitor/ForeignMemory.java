package io.gpushare.plugin.node.monitor;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.usage.NodeUsage;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory of each card that processes use to which nothing of it is allocated, which new pods must not be given:
 * what they used in each report of half a minute. Processes of ended pods count at once. A pod that uses more than its
 * own does not count here: it may be preempted for the next one, with all that it uses. It is a multiple of 256 MiB,
 * and less is none: a display server or a monitor closes no card. What is kept for the driver and the isolation comes
 * first. Not thread-safe.
 */
final class ForeignMemory {
    private static final long STEP = Memory.ofMib(256).bytes();

    private final boolean rest;
    private final Map<CardId, Deque<Long>> last = new HashMap<>();

    /**
     * @param rest whether new pods can have the rest of such a card. If not, only processes count that never had a
     *     share: a pod that is deleted by force must not close a card
     */
    ForeignMemory(boolean rest) {
        this.rest = rest;
    }

    /** After one more report. */
    Map<CardId, Memory> next(NodeUsage usage, Collection<Card> cards) {
        last.keySet().retainAll(cards.stream().map(Card::id).toList());
        Map<CardId, Memory> foreign = new HashMap<>();
        for (Card card : cards) {
            Deque<Long> reports = last.computeIfAbsent(card.id(), _ -> new ArrayDeque<>());
            // A card that did not respond keeps what it had.
            if (usage.reported().cards().containsKey(card.id())) {
                reports.addLast(usage.foreignOn(card.id(), false));
            }
            if (reports.size() > ForeignUseReporter.CERTAIN) {
                reports.removeFirst();
            }
            long beside = certain(reports)
                    + (rest ? usage.foreignOn(card.id(), true) : 0)
                    - card.isolation().headroom().bytes();
            if (beside >= STEP) {
                foreign.put(card.id(), new Memory(Math.ceilDiv(beside, STEP) * STEP));
            }
        }
        return foreign;
    }

    private static long certain(Deque<Long> reports) {
        return reports.size() < ForeignUseReporter.CERTAIN
                ? 0
                : reports.stream().mapToLong(Long::longValue).min().orElse(0);
    }
}
