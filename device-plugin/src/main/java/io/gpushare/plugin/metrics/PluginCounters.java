package io.gpushare.plugin.metrics;

import io.gpushare.model.card.CardId;
import io.gpushare.plugin.allocation.Caller;
import io.gpushare.plugin.allocation.RefusalKind;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.snapshot.AnnotationDifference;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import io.gpushare.plugin.usage.ContainerShare;
import io.gpushare.plugin.usage.NodeUsage;
import io.gpushare.plugin.usage.OverUse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The counters since the plugin started, and the current state; several threads read them at each scrape. */
public interface PluginCounters {
    /** Containers that received their cards, by how they were identified. */
    Map<Caller.Evidence, Long> identified();

    /** Refused Allocate calls. */
    Map<RefusalKind, Long> refused();

    /** Pods whose allocation annotation differed from what they have. */
    Map<AnnotationDifference.Kind, Long> differences();

    /** Differences that were repaired. */
    long repaired();

    /** Failed attempts to repair a difference. */
    long failedRepairs();

    /** Registrations with the kubelet, by resource name. */
    Map<String, Long> registrations();

    /** Xid errors by card; the card is empty if the driver did not name it. */
    Map<Xid, Long> xids();

    /** Events on pods that could not be recorded. */
    long eventsLost();

    /** Evictions of pods above their limit, by outcome. */
    Map<String, Long> evictions();

    /** Whether the API server responds; if not, free devices are withdrawn. */
    boolean apiServerResponds();

    /** The measured usage now, as far as it is known. */
    NodeUsage usage();

    /** The containers that use more memory than they requested. */
    List<OverUse.Excess> excesses();

    /** For how long a container has not computed on its card; empty if that is unknown. */
    Optional<Duration> idle(ContainerShare share);

    /** Starts of containers that were refused because their isolation was not in force. */
    long refusedStarts();

    /** What was done to keep the isolation in force, by kind. */
    Map<String, Long> isolationRepairs();

    /** What runs for the isolation of each card. */
    Map<CardId, IsolationProvider.Figures> isolationFigures();

    /** The latest snapshot of the node. */
    NodeSnapshot snapshot();

    /** An Xid error of a card, and its remedy. */
    record Xid(Optional<CardId> card, long number, String remedy) {}
}
