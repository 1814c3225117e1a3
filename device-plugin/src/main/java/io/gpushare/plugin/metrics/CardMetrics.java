package io.gpushare.plugin.metrics;

import io.gpushare.model.card.Card;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.usage.CardUsage;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What is known of each card: as many series of each name as the node has cards. */
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
                "The card's whole memory.",
                state -> state.card().memory().bytes());
        state(
                "gpushare_card_memory_allocated_bytes",
                "Memory that containers were given; all of it where one has the card whole.",
                this::allocated);
        state("gpushare_card_taken_whole", "1 for a card that a pod has whole.", state -> state.takenWhole() ? 1 : 0);
        state(
                "gpushare_card_healthy",
                "1 for a card that is well, 0 for one that is ill: an Xid error, or it does not answer.",
                state -> state.card().health().healthy() ? 1 : 0);
        state(
                "gpushare_card_cordoned",
                "1 for a card that takes nothing new because somebody cordoned it.",
                state -> state.card().cordoned() ? 1 : 0);
        state(
                "gpushare_card_containers_over_use",
                "Containers that use more memory of the card than they were given.",
                state -> counts.excesses().stream()
                        .filter(excess ->
                                excess.held().card().id().equals(state.card().id()))
                        .count());
        load(
                "gpushare_card_memory_used_bytes",
                "Memory in use by anyone, as the driver tells it.",
                load -> OptionalDouble.of((double) load.usedBytes()));
        load(
                "gpushare_card_utilisation_ratio",
                "Part of the last sample period in which the card computed, 0 to 1.",
                CardUsage::utilisation);
        load("gpushare_card_temperature_celsius", "Temperature of the chip.", CardUsage::celsius);
        load("gpushare_card_power_watts", "What the board draws.", CardUsage::watts);
        strangers();
        eccErrors();
    }

    private double allocated(CardState state) {
        return state.takenWhole()
                ? state.card().memory().bytes()
                : (double) state.allocated().units()
                        * counts.picture().inventory().unit().size().bytes();
    }

    private void state(String name, String help, ToDoubleFunction<CardState> value) {
        gauge(name, help, state -> OptionalDouble.of(value.applyAsDouble(state)));
    }

    private void load(String name, String help, Function<CardUsage, OptionalDouble> value) {
        gauge(
                name,
                help,
                state -> Optional.ofNullable(
                                counts.load().loads().cards().get(state.card().id()))
                        .map(value)
                        .orElse(OptionalDouble.empty()));
    }

    private void gauge(String name, String help, Function<CardState, OptionalDouble> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("card", "model")
                .callback(callback -> counts.picture()
                        .use()
                        .held()
                        .cards()
                        .forEach(state -> value.apply(state)
                                .ifPresent(number -> callback.call(
                                        number,
                                        state.card().id().uuid(),
                                        state.card().model()))))
                .register(registry);
    }

    private void strangers() {
        gauge(
                "gpushare_card_foreign_memory_used_bytes",
                "Memory of processes that are in no container of this node's pods.",
                state -> counts.load().containers().isPresent()
                                && counts.load()
                                        .loads()
                                        .cards()
                                        .containsKey(state.card().id())
                        ? OptionalDouble.of((double) counts.load()
                                .strangers()
                                .getOrDefault(state.card().id(), 0L))
                        : OptionalDouble.empty());
    }

    private void eccErrors() {
        CounterWithCallback.builder()
                .name("gpushare_card_ecc_errors_total")
                .help("Memory errors since the driver was loaded: corrected, or uncorrected.")
                .labelNames("card", "model", "type")
                .callback(callback -> counts.load()
                        .loads()
                        .cards()
                        .forEach((id, load) -> counts.picture()
                                .inventory()
                                .card(id)
                                .ifPresent(card -> {
                                    told(callback, card, "corrected", load.correctedErrors());
                                    told(callback, card, "uncorrected", load.uncorrectedErrors());
                                })))
                .register(registry);
    }

    private static void told(CounterWithCallback.Callback callback, Card card, String type, OptionalLong count) {
        count.ifPresent(number -> callback.call((double) number, card.id().uuid(), card.model(), type));
    }
}
