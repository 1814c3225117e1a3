package io.gpushare.plugin.allocate.offer;

import io.gpushare.model.PodRef;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits before a planned end of the plugin until every pod that is bound to the node has its cards: the kubelet rejects
 * pods that it admits while no plugin serves. The extender binds no further ones once the end is announced.
 *
 * @param live lists the node's pods at the API server; empty when it does not respond within the timeout
 * @param idle whether the kubelet waits for no response
 */
public record Departure(
        LatestSnapshot latest,
        Function<Duration, Optional<List<NodePod>>> live,
        BooleanSupplier idle,
        InstantSource clock) {
    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);

    /** The time in which the extender reads the announcement, and what it bound before reaches the kubelet. */
    private static final Duration SETTLE = Duration.ofSeconds(2);
    /** Well below the manifest's terminationGracePeriodSeconds. */
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration LIVE_TIMEOUT = Duration.ofSeconds(1);

    /** Returns when no pod waits any more, or after 20 s. */
    public void await() throws InterruptedException {
        Instant begin = clock.instant();
        Machine.here().pause(SETTLE);
        List<PodRef> waiting = waiting();
        while (!waiting.isEmpty() && clock.instant().isBefore(begin.plus(LONGEST))) {
            Machine.here().pause(POLL);
            waiting = waiting();
        }
        if (!waiting.isEmpty()) {
            LOG.warn("these pods have not got their cards within {} s: {}", LONGEST.toSeconds(), waiting);
        }
        while (!idle.getAsBoolean() && clock.instant().isBefore(begin.plus(LONGEST))) {
            Machine.here().pause(POLL);
        }
    }

    /** The watch may be behind, so the API server has the last word. */
    private List<PodRef> waiting() {
        List<PodRef> known = latest.now().awaitingCards();
        return known.isEmpty()
                ? live.apply(LIVE_TIMEOUT)
                        .map(pods -> latest.now().withPods(pods).awaitingCards())
                        .orElse(known)
                : known;
    }
}
