package io.gpushare.insight.metrics;

import io.gpushare.extender.outcome.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.preemption.PreemptionCounts;
import io.gpushare.extender.scheduling.WaitingPods;
import io.gpushare.insight.waste.WasteReport;
import java.time.Instant;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The sources of the metrics that are not counted per request; read at each scrape.
 *
 * @param outcomes of the placements
 * @param preemptions what this extender evicted for waiting pods
 * @param leads whether this extender leads
 * @param ready whether it leads and its ledger is current
 * @param heard the time of the last message from the API server, by resource
 * @param changes the number of changes passed to the ledger, by resource
 * @param waste what is wasted, as of the last round
 * @param eventsLost the number of Events on pods that could not be recorded
 */
public record MetricsSource(
        Placer placer,
        PlacementOutcomes outcomes,
        WaitingPods waiting,
        PreemptionCounts preemptions,
        BooleanSupplier leads,
        BooleanSupplier ready,
        Supplier<Map<String, Instant>> heard,
        Supplier<Map<String, Long>> changes,
        Supplier<WasteReport> waste,
        LongSupplier eventsLost) {}
