package io.gpushare.plugin.metrics;

import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.allocation.NodePicture;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** What is known of each card: as many series as the node has cards. */
final class CardMetrics {
    private final Supplier<NodePicture> picture;

    CardMetrics(Supplier<NodePicture> picture) {
        this.picture = picture;
    }

    void register(PrometheusRegistry registry) {
        gauge(
                registry,
                "gpushare_card_memory_capacity_bytes",
                "The card's whole memory.",
                state -> state.card().memory().bytes());
        gauge(
                registry,
                "gpushare_card_memory_allocated_bytes",
                "Memory that containers were given; all of it where one has the card whole.",
                this::allocated);
        gauge(
                registry,
                "gpushare_card_taken_whole",
                "1 for a card that a pod has whole.",
                state -> state.wholePods() > 0 ? 1 : 0);
        gauge(
                registry,
                "gpushare_card_healthy",
                "1 for a card that is well, 0 for one that is ill: an Xid error, or it does not answer.",
                state -> state.card().health().healthy() ? 1 : 0);
        gauge(
                registry,
                "gpushare_card_cordoned",
                "1 for a card that takes nothing new because somebody cordoned it.",
                state -> state.card().cordoned() ? 1 : 0);
    }

    private double allocated(CardState state) {
        return state.wholePods() > 0
                ? state.card().memory().bytes()
                : (double) state.sharedUnits()
                        * picture.get().inventory().unit().size().bytes();
    }

    private void gauge(PrometheusRegistry registry, String name, String help, ToDoubleFunction<CardState> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("card", "model")
                .callback(callback -> picture.get()
                        .use()
                        .held()
                        .cards()
                        .forEach(state -> callback.call(
                                value.applyAsDouble(state),
                                state.card().id().uuid(),
                                state.card().model())))
                .register(registry);
    }
}
