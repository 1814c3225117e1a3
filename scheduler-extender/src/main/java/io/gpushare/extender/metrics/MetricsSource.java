package io.gpushare.extender.metrics;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.report.WaitingPods;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What metrics tell of beside the requests; asked at each scrape.
 *
 * @param leads whether this extender leads
 * @param answers whether it leads and its ledger is current
 * @param heard when the API server was last heard of, by the plural of what is watched
 * @param changes how many changes were told to the ledger, by the same
 * @param eventsLost Events of pods that could not be recorded
 */
public record MetricsSource(
        Ledger ledger,
        WaitingPods waiting,
        BooleanSupplier leads,
        BooleanSupplier answers,
        Supplier<Map<String, Instant>> heard,
        Supplier<Map<String, Long>> changes,
        LongSupplier eventsLost) {
    public MetricsSource {
        Objects.requireNonNull(ledger);
        Objects.requireNonNull(waiting);
        Objects.requireNonNull(leads);
        Objects.requireNonNull(answers);
        Objects.requireNonNull(heard);
        Objects.requireNonNull(changes);
        Objects.requireNonNull(eventsLost);
    }
}
