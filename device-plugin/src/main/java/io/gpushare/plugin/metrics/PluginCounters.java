package io.gpushare.plugin.metrics;

import io.gpushare.model.card.CardId;
import io.gpushare.plugin.allocation.Caller;
import io.gpushare.plugin.allocation.RefusalKind;
import io.gpushare.plugin.node.AnnotationDifference;
import io.gpushare.plugin.node.NodeSnapshot;
import io.gpushare.plugin.usage.NodeUsage;
import io.gpushare.plugin.usage.OverUse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What the program has counted since it began, and sees now; asked at each scrape, by several threads. */
public interface PluginCounters {
    /** Containers that were given their cards, by the way in which they were found. */
    Map<Caller.Way, Long> found();

    /** Refused Allocates. */
    Map<RefusalKind, Long> refused();

    /** Pods on which something else was written than they have. */
    Map<AnnotationDifference.Kind, Long> differences();

    /** Those of them that were mended. */
    long mended();

    /** Attempts to mend one that failed. */
    long failedMends();

    /** Registrations with the kubelet, by resource name. */
    Map<String, Long> registrations();

    /** Xid errors by card; empty where the driver did not say which card it was. */
    Map<Xid, Long> xids();

    /** Events of pods that could not be recorded. */
    long eventsLost();

    /** Evictions for over-use, by what came of them. */
    Map<String, Long> evictions();

    /** What cards do and containers use now, as far as that is known. */
    NodeUsage load();

    /** The containers that use more than they were given. */
    List<OverUse.Excess> excesses();

    /** The node as it is known now. */
    NodeSnapshot picture();

    /** An Xid error of a card, and what has to be done about it. */
    record Xid(Optional<CardId> card, long number, String remedy) {
        public Xid {
            Objects.requireNonNull(card);
            Objects.requireNonNull(remedy);
        }
    }
}
