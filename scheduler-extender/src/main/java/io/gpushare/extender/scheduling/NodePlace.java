package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.Ask;
import io.gpushare.extender.placement.NodeRoom;
import io.gpushare.extender.placement.NodeSummary;
import org.jspecify.annotations.Nullable;

/**
 * Where the ledger has one node, for as long as it knows anything of it.
 *
 * <p>What a request asks of thousands of nodes is kept here beside the entry, since the way on from there leads through
 * memory that no cache holds. While the node changes, one may be told already and the other not yet: filter and
 * prioritize see a moment that is past in any case, and bind asks the entry.
 */
final class NodePlace {
    /** The number of no place. */
    static final int NOWHERE = -1;

    private static final int NOTHING = -1;

    private final int number;
    private volatile @Nullable NodeEntry entry;
    private volatile NodeRoom room;
    private volatile int most;
    private volatile int unused;

    /** @param number which no other node has meanwhile */
    NodePlace(int number, NodeEntry entry) {
        this.number = number;
        this.entry = entry;
        this.room = entry.room();
        summed(entry);
    }

    int number() {
        return number;
    }

    /** The node as it is now; null when the ledger has forgotten it, for good: should it come back, it has another place. */
    @Nullable
    NodeEntry entry() {
        return entry;
    }

    /** What policies see of it. */
    NodeRoom room() {
        return room;
    }

    /** Whether it can take that, where this is seen at a glance; if not, the entry knows. */
    boolean surelyTakes(Ask ask) {
        return ask.plain() && ask.fits(most, unused);
    }

    /** To be called by one thread at a time. */
    void become(@Nullable NodeEntry now) {
        entry = now;
        NodeEntry seen = NodeEntry.orUnheard(now);
        room = seen.room();
        summed(seen);
    }

    private void summed(NodeEntry seen) {
        NodeSummary summary = seen.summary();
        boolean usable = seen.unusable() == null;
        most = usable ? summary.most() : NOTHING;
        unused = usable ? summary.unused() : NOTHING;
    }
}
