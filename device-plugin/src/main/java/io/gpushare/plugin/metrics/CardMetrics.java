package io.gpushare.plugin.metrics;

import io.gpushare.model.card.Card;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.isolation.IsolationProvider.Figures;
import io.gpushare.plugin.usage.CardUsage;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The state and the usage of each card; each metric has one series for each card of the node. */
final class CardMetrics {
    private final PluginCounters counts;
    private final PrometheusRegistry registry;

    CardMetrics(PluginCounters counts, PrometheusRegistry registry) {
        this.counts = counts;
        this.registry = registry;
    }

    void register() {
        state(
                "gpushare_card_memory_capacity_bytes",
                "The total memory of the card.",
                state -> state.card().memory().bytes());
        state(
                "gpushare_card_memory_allocated_bytes",
                "Memory that is allocated to containers; all of it if one has the whole card.",
                this::allocated);
        gauge(
                "gpushare_card_cores_allocated_percent",
                "Percent of the card's cores that is allocated to containers; only where cores are counted.",
                state -> state.capacity().cores() == 0
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(state.occupied().cores()));
        state(
                "gpushare_card_taken_whole",
                "1 for a card that is allocated whole.",
                state -> state.takenWhole() ? 1 : 0);
        state(
                "gpushare_card_healthy",
                "1 for a healthy card, 0 for an unhealthy one: an Xid error, or the card does not respond.",
                state -> state.card().health().healthy() ? 1 : 0);
        state(
                "gpushare_card_cordoned",
                "1 for a cordoned card, which accepts no new pods.",
                state -> state.card().cordoned() ? 1 : 0);
        state(
                "gpushare_card_containers_over_use",
                "Containers that use more memory of the card than they requested.",
                state -> counts.excesses().stream()
                        .filter(excess ->
                                excess.share().card().id().equals(state.card().id()))
                        .count());
        usage(
                "gpushare_card_memory_used_bytes",
                "Memory that all processes use, as the driver reports it.",
                usage -> OptionalDouble.of((double) usage.usedBytes()));
        usage(
                "gpushare_card_utilisation_ratio",
                "Fraction of the last sample period in which the card computed, 0 to 1.",
                CardUsage::utilisation);
        usage("gpushare_card_temperature_celsius", "Temperature of the chip.", CardUsage::celsius);
        usage("gpushare_card_power_watts", "Power draw of the board.", CardUsage::watts);
        isolation();
        mps();
        foreignMemory();
        eccErrors();
    }

    private void mps() {
        GaugeWithCallback.builder()
                .name("gpushare_card_mps_phase")
                .help("1 for the state of MPS on the card: off, starting, ready, faulted, dead, draining or broken.")
                .labelNames("card", "phase")
                .callback(callback -> counts.isolationFigures()
                        .forEach((card, figures) -> callback.call(1, card.uuid(), figures.phase())))
                .register(registry);
        mps("gpushare_card_mps_clients", "Processes that compute under MPS.", Figures::clients);
        mps(
                "gpushare_card_mps_failures",
                "How often MPS had to be started again within ten minutes; it is broken at 5.",
                Figures::failures);
        mps(
                "gpushare_card_mps_process_limit_bytes",
                "The most memory that any process on the card may have under MPS.",
                figures -> figures.processLimit().bytes());
    }

    private void mps(String name, String help, ToDoubleFunction<Figures> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("card")
                .callback(callback -> counts.isolationFigures()
                        .forEach((card, figures) -> callback.call(value.applyAsDouble(figures), card.uuid())))
                .register(registry);
    }

    private void isolation() {
        state(
                "gpushare_card_isolation_missing",
                "1 for a card that can't have the isolation that the operator asked for; the inventory says why.",
                state -> state.card().isolation().missing().isEmpty() ? 0 : 1);
        GaugeWithCallback.builder()
                .name("gpushare_card_isolation")
                .help("1 for what holds containers to their share of the card: none, driver or mps.")
                .labelNames("card", "model", "provider")
                .callback(callback -> counts.snapshot()
                        .inventory()
                        .cards()
                        .forEach(card -> callback.call(
                                1,
                                card.id().uuid(),
                                card.model(),
                                card.isolation().inForce().toString())))
                .register(registry);
    }

    private double allocated(CardState state) {
        return state.takenWhole()
                ? state.card().memory().bytes()
                : (double) state.allocated().units()
                        * counts.snapshot().inventory().unit().size().bytes();
    }

    private void state(String name, String help, ToDoubleFunction<CardState> value) {
        gauge(name, help, state -> OptionalDouble.of(value.applyAsDouble(state)));
    }

    private void usage(String name, String help, Function<CardUsage, OptionalDouble> value) {
        gauge(
                name,
                help,
                state -> Optional.ofNullable(counts.usage()
                                .reported()
                                .cards()
                                .get(state.card().id()))
                        .map(value)
                        .orElse(OptionalDouble.empty()));
    }

    private void gauge(String name, String help, Function<CardState, OptionalDouble> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("card", "model")
                .callback(callback -> counts.snapshot()
                        .allocations()
                        .assigned()
                        .cards()
                        .forEach(state -> value.apply(state)
                                .ifPresent(number -> callback.call(
                                        number,
                                        state.card().id().uuid(),
                                        state.card().model()))))
                .register(registry);
    }

    private void foreignMemory() {
        gauge(
                "gpushare_card_foreign_memory_used_bytes",
                "Memory of processes to which nothing of the card is allocated.",
                state -> counts.usage().containers().isPresent()
                                && counts.usage()
                                        .reported()
                                        .cards()
                                        .containsKey(state.card().id())
                        ? OptionalDouble.of(
                                (double) counts.usage().foreignOn(state.card().id()))
                        : OptionalDouble.empty());
    }

    private void eccErrors() {
        CounterWithCallback.builder()
                .name("gpushare_card_ecc_errors_total")
                .help("Memory errors since the driver was loaded: corrected or uncorrected.")
                .labelNames("card", "model", "type")
                .callback(callback -> counts.usage()
                        .reported()
                        .cards()
                        .forEach((id, usage) -> counts.snapshot()
                                .inventory()
                                .card(id)
                                .ifPresent(card -> {
                                    report(callback, card, "corrected", usage.correctedErrors());
                                    report(callback, card, "uncorrected", usage.uncorrectedErrors());
                                })))
                .register(registry);
    }

    private static void report(CounterWithCallback.Callback callback, Card card, String type, OptionalLong count) {
        count.ifPresent(number -> callback.call((double) number, card.id().uuid(), card.model(), type));
    }
}
