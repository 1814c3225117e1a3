package io.gpushare.plugin.node.metrics;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.IsolationProvider.Figures;
import io.gpushare.plugin.node.monitor.UsageMonitor;
import io.gpushare.plugin.node.usage.CardUtilization;
import io.gpushare.plugin.node.usage.NodeUsage;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The state and the usage of each card; each metric has one series for each card of the node. */
record CardMetrics(PluginMetrics metrics, LatestHoldings latest, UsageMonitor monitor) {
    void register(IsolationProvider provider) {
        gauge(
                "gpushare_card_memory_capacity_bytes",
                "The total memory of the card.",
                state -> state.card().hasMemory()
                        ? DoubleStream.of((double) state.card().memory().bytes())
                        : DoubleStream.empty());
        state(
                "gpushare_card_memory_allocated_bytes",
                "Memory that is allocated to containers; all of it if one has the whole card.",
                this::allocated);
        ShareKind.PERCENTS.forEach(kind -> gauge(
                "gpushare_card_" + kind + "_allocated_percent",
                "Percent of the card's " + kind + " that is allocated to containers; only where " + kind
                        + " are counted.",
                state -> kind.in(state.capacity()) == 0
                        ? DoubleStream.empty()
                        : DoubleStream.of(kind.in(state.occupied()))));
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
                "gpushare_card_in_use",
                "1 for a card that is not offered because pods or claims have it by another offer than the node's.",
                state -> state.card().inUseBy() == null ? 0 : 1);
        state(
                "gpushare_card_containers_over_use",
                "Containers that use more memory of the card than they requested.",
                state -> monitor.excesses().stream()
                        .filter(excess ->
                                excess.share().card().id().equals(state.card().id()))
                        .count());
        usage(
                "gpushare_card_memory_used_bytes",
                "Memory that all processes use, as the driver reports it.",
                usage -> usage.memoryUsedBytes().stream().asDoubleStream());
        usage(
                "gpushare_card_utilisation_ratio",
                "Fraction of the last sample period in which the card computed, 0 to 1.",
                usage -> usage.gpuUtilization().stream().mapToDouble(percent -> percent / 100.0));
        usage(
                "gpushare_card_temperature_celsius",
                "Temperature of the chip.",
                usage -> usage.temperatureCelsius().stream().asDoubleStream());
        usage(
                "gpushare_card_power_watts",
                "Power draw of the board.",
                usage -> usage.powerMilliwatts().stream().mapToDouble(milliwatts -> milliwatts / 1000.0));
        gauge(
                "gpushare_card_foreign_memory_used_bytes",
                "Memory of processes to which nothing of the card is allocated.",
                state -> foreign(monitor.now(), state.card()));
        metrics.counters(
                "gpushare_card_ecc_errors_total",
                "Memory errors since the driver was loaded: corrected or uncorrected.",
                this::eccErrors,
                "card",
                "model",
                "type");
        isolation();
        mps(provider);
    }

    private void mps(IsolationProvider provider) {
        metrics.gauges(
                "gpushare_card_mps_phase",
                "1 for the state of MPS on the card: off, starting, ready, faulted, dead, draining or broken.",
                series -> provider.figures().forEach((card, figures) -> series.call(1, card.uuid(), figures.phase())),
                "card",
                "phase");
        mps(provider, "gpushare_card_mps_clients", "Processes that compute under MPS.", Figures::clients);
        mps(
                provider,
                "gpushare_card_mps_failures",
                "How often MPS had to be started again within ten minutes; it is broken at 5.",
                Figures::failures);
        mps(
                provider,
                "gpushare_card_mps_process_limit_bytes",
                "The most memory that any process on the card may have under MPS.",
                figures -> figures.processLimit().bytes());
    }

    private void mps(IsolationProvider provider, String name, String help, ToDoubleFunction<Figures> value) {
        metrics.gauges(
                name,
                help,
                series -> provider.figures()
                        .forEach((card, figures) -> series.call(value.applyAsDouble(figures), card.uuid())),
                "card");
    }

    private void isolation() {
        state(
                "gpushare_card_isolation_missing",
                "1 for a card that can't have the isolation that the operator asked for; the inventory says why.",
                state -> state.card().isolation().missing().isEmpty() ? 0 : 1);
        metrics.gauges(
                "gpushare_card_isolation",
                "1 for what holds containers to their share of the card: none, driver or mps.",
                series -> latest.now()
                        .inventory()
                        .cards()
                        .forEach(card -> series.ofCard(
                                1, card, card.isolation().inForce().toString())),
                "card",
                "model",
                "provider");
    }

    private double allocated(CardState state) {
        return state.takenWhole()
                ? state.card().memory().bytes()
                : (double) state.allocated().units()
                        * latest.now().inventory().unit().size().bytes();
    }

    private static DoubleStream foreign(NodeUsage usage, Card card) {
        return usage.containers().isPresent() && usage.reported().cards().containsKey(card.id())
                ? DoubleStream.of((double) usage.foreignOn(card.id()))
                : DoubleStream.empty();
    }

    private void eccErrors(PluginMetrics.Series series) {
        for (Card card : latest.now().inventory().cards()) {
            usage(card).flatMap(CardUtilization::eccErrors).ifPresent(errors -> {
                series.ofCard((double) errors.corrected(), card, "corrected");
                series.ofCard((double) errors.uncorrected(), card, "uncorrected");
            });
        }
    }

    private Optional<CardUtilization> usage(Card card) {
        return Optional.ofNullable(monitor.now().reported().cards().get(card.id()));
    }

    private void state(String name, String help, ToDoubleFunction<CardState> value) {
        gauge(name, help, state -> DoubleStream.of(value.applyAsDouble(state)));
    }

    private void usage(String name, String help, Function<CardUtilization, DoubleStream> value) {
        gauge(name, help, state -> usage(state.card()).stream().flatMapToDouble(value));
    }

    private void gauge(String name, String help, Function<CardState, DoubleStream> value) {
        metrics.gauges(
                name,
                help,
                series -> latest.now()
                        .cards()
                        .cards()
                        .forEach(state -> value.apply(state).forEach(number -> series.ofCard(number, state.card()))),
                "card",
                "model");
    }
}
