package io.gpushare.plugin.node.isolation.enforcement;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.isolation.IsolationMode;
import io.gpushare.plugin.node.isolation.IsolationPolicy;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What holds the containers of this node to their shares. A thread compares it with what should be every two seconds,
 * since what a card can have may change while nothing else does.
 */
public final class NodeIsolation implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeIsolation.class);
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    /** Of pods that change together, and for the kubelet, which learns of a pod when this program does. */
    private static final Duration GAP = Duration.ofMillis(100);

    private final IsolationPolicy policy;
    private final IsolationProvider provider;
    private final LatestHoldings latest;
    private final MissingIsolation missing;
    private final HeadroomInUse headroom;
    private final AtomicLong refusedStarts = new AtomicLong();
    private final PeriodicTask task = new PeriodicTask("isolation", INTERVAL, GAP, this::reconcile);
    private volatile String lastRefusal = "";

    public NodeIsolation(
            IsolationPolicy policy,
            IsolationProvider provider,
            LatestHoldings latest,
            MissingIsolation missing,
            HeadroomInUse headroom) {
        this.policy = policy;
        this.provider = provider;
        this.latest = latest;
        this.missing = missing;
        this.headroom = headroom;
    }

    /** Begins to compare; without isolation, and memory that is kept, there is nothing to compare. */
    public void start() {
        if (policy.applies()) {
            task.start();
        }
    }

    /** Compares soon; returns at once. */
    public void soon() {
        task.runSoon();
    }

    /** The inventory with what is in force on each of its cards. */
    public Inventory isolated(Inventory scanned) {
        Inventory isolated = scanned.withIsolation(policy.decide(scanned, provider));
        missing.report(isolated);
        return isolated;
    }

    private Duration reconcile() {
        try {
            Inventory before = latest.inventory();
            Inventory isolated = isolated(before);
            if (!isolated.equals(before)) {
                Map<CardId, CardIsolation> changed =
                        isolated.cards().stream().collect(Collectors.toMap(Card::id, Card::isolation));
                latest.update(inventory -> inventory.withIsolation(changed));
            }
            Holdings now = latest.now();
            provider.reconcile(now);
            headroom.report(now);
        } catch (RuntimeException e) {
            // The next comparison may succeed; containers start only with their own checks.
            LOG.error("the isolation of the node could not be compared", e);
        }
        return INTERVAL;
    }

    /** What that container needs for its isolation. */
    public ContainerIsolation of(StartingContainer container, Inventory inventory) {
        return ContainerIsolation.of(container, inventory, provider);
    }

    /** Whether the kubelet must call before each start of a container. */
    public boolean gated() {
        return policy.mode() != IsolationMode.NONE;
    }

    /**
     * Puts the isolation of that container into force before it starts.
     *
     * @return why it can't start, as a sentence; empty if it may
     */
    public Optional<String> start(StartingContainer container) {
        Optional<String> refusal = refusal(container);
        refusal.ifPresent(this::refused);
        return refusal;
    }

    private Optional<String> refusal(StartingContainer container) {
        return enforce(container)
                .map(reason -> "pod " + container.pod() + " container '"
                        + container.allocation().name() + "' can't start: " + reason);
    }

    /**
     * Puts the isolation of that container into force, whose shares are among the holdings.
     *
     * @return why it can't start, as a sentence; empty if it may
     */
    public Optional<String> enforce(StartingContainer container) {
        Holdings now = latest.now();
        return of(container, now.inventory()) instanceof ContainerIsolation.Refused(String reason)
                ? Optional.of(reason)
                : provider.enforce(container, now);
    }

    /** A container can't start for that reason. */
    public void refused(String reason) {
        refusedStarts.incrementAndGet();
        if (!reason.equals(lastRefusal)) {
            lastRefusal = reason;
            LOG.warn("{}", reason);
        }
    }

    /** The number of refused starts of containers; the kubelet calls again for each. */
    public long refusedStarts() {
        return refusedStarts.get();
    }

    @Override
    public void close() {
        task.close();
    }
}
