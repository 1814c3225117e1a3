package io.gpushare.insight.view;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.time.Machine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the snapshots of the cluster and computes the changes since an older one. It reads the whole state only on a
 * request and compares: no change is missed and the verbs pay nothing. A caller without a snapshot, or with one of
 * another extender, gets a complete one. The work does not grow with the number of callers.
 */
public final class ViewRevisions {
    private static final long REFRESH_NANOS = 200_000_000;
    private static final long QUEUE_NANOS = 1_000_000_000;
    private static final long IDLE_NANOS = 120_000_000_000L;
    private static final int GONE = 10_000;

    private final Supplier<ClusterState> states;
    // Distinguishes this process from other extenders, which count from 1 too.
    private String epoch = "";
    private long revision;
    private long oldest;
    private long refreshedAt;
    private long queueAt;
    private final Map<String, Known> nodes = new HashMap<>();
    private final LinkedHashMap<String, Long> gone = new LinkedHashMap<>();
    private int plain;
    private WaitingQueue queue = WaitingQueue.EMPTY;
    private long queueSince;

    /** A node as of the last refresh, and the revision in which it last changed. */
    private record Known(NodeView view, long since) {}

    public ViewRevisions(Supplier<ClusterState> states) {
        this.states = states;
    }

    /**
     * The changes since a revision.
     *
     * @param known the revision that the caller has; null or an unknown one for a complete snapshot
     * @param nanos the time of a monotonic clock
     */
    public synchronized ClusterChanges since(@Nullable String known, long nanos) {
        if (epoch.isEmpty()) {
            epoch = Machine.here().unique().substring(0, 8);
            refresh(nanos);
        } else if (nanos - refreshedAt >= REFRESH_NANOS) {
            refresh(nanos);
        }
        long from = number(known);
        boolean full = from < oldest;
        List<NodeView> changed = new ArrayList<>();
        nodes.values().forEach(node -> {
            if (full || node.since() > from) {
                changed.add(node.view());
            }
        });
        List<String> lost = full
                ? List.of()
                : gone.entrySet().stream()
                        .filter(node -> node.getValue() > from)
                        .map(Map.Entry::getKey)
                        .toList();
        return new ClusterChanges(
                epoch + "-" + revision, full, changed, lost, plain, full || queueSince > from ? queue : null);
    }

    /** Frees the memory if there was no request for two minutes. */
    public synchronized void rest(long nanos) {
        if (!epoch.isEmpty() && nanos - refreshedAt > IDLE_NANOS) {
            epoch = "";
            nodes.clear();
            gone.clear();
            queue = WaitingQueue.EMPTY;
            queueSince = 0;
            revision = 0;
        }
    }

    /** The number of a revision of this epoch; -1 for any other text. */
    private long number(@Nullable String known) {
        if (known == null || !known.startsWith(epoch + "-")) {
            return -1;
        }
        try {
            long number = Long.parseLong(known.substring(epoch.length() + 1));
            return number > revision ? -1 : number;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private void refresh(long nanos) {
        long next = revision + 1;
        boolean first = revision == 0;
        ClusterState state = states.get();
        boolean changed = refreshNodes(state, next);
        if (first || nanos - queueAt >= QUEUE_NANOS || changed) {
            changed |= refreshQueue(state, next);
            queueAt = nanos;
        }
        if (changed || first) {
            revision = next;
        }
        if (first) {
            oldest = next;
        }
        refreshedAt = nanos;
    }

    private boolean refreshNodes(ClusterState state, long next) {
        boolean changed = false;
        int others = 0;
        Set<String> there = new HashSet<>();
        for (NodeView view : state.nodes()) {
            if (withoutCards(view)) {
                others++;
                continue;
            }
            there.add(view.name());
            @Nullable Known old = nodes.get(view.name());
            if (old == null || !same(old.view(), view)) {
                nodes.put(view.name(), new Known(view, next));
                gone.remove(view.name());
                changed = true;
            }
        }
        for (String name : List.copyOf(nodes.keySet())) {
            if (!there.contains(name)) {
                nodes.remove(name);
                gone.put(name, next);
                changed = true;
            }
        }
        while (gone.size() > GONE) {
            oldest = Math.max(oldest, gone.pollFirstEntry().getValue());
        }
        if (others != plain) {
            plain = others;
            changed = true;
        }
        return changed;
    }

    private static boolean withoutCards(NodeView node) {
        return Reason.NO_INVENTORY.equals(node.unusable())
                && node.cards().holdings().isEmpty();
    }

    // Each change replaces a node's cards; comparing all of them would take long.
    @SuppressWarnings("ReferenceEquality")
    private static boolean same(NodeView old, NodeView now) {
        return old.cards() == now.cards()
                && Objects.equals(old.unusable(), now.unusable())
                && Objects.equals(old.shut(), now.shut())
                && Objects.equals(old.address(), now.address());
    }

    private boolean refreshQueue(ClusterState state, long next) {
        WaitingQueue now = WaitingQueue.of(state);
        if (now.equals(queue)) {
            return false;
        }
        queue = now;
        queueSince = next;
        return true;
    }
}
