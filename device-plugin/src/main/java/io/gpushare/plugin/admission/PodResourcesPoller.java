package io.gpushare.plugin.admission;

import io.gpushare.plugin.node.PodResourcesList;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Reads the kubelet's books again where the picture may have left them: at the start, when pods went, and once in a while.
 * Not after each Allocate: what was answered is known, and pod-resources serves few calls at a time.
 */
public final class PodResourcesPoller implements AutoCloseable {
    private static final Duration LIST_TIME = Duration.ofSeconds(1);
    private static final Duration GAP = Duration.ofMillis(100);
    /** While the kubelet still lists pods that the API does not have any more. */
    private static final Duration BEHIND = Duration.ofSeconds(1);

    private static final Duration USUAL = Duration.ofMinutes(1);
    /** How long the first list waits for the first pods of the API; without them it is read all the same. */
    private static final Duration FIRST_PODS = Duration.ofSeconds(5);

    private final LatestSnapshot latest;
    private final AllocationHandler.Lister podResources;
    private final BooleanSupplier podsKnown;
    private final Runnable firstRead;
    private final InstantSource clock;
    private final Semaphore asked = new Semaphore(0);
    private final Thread thread = new Thread(this::run, "books");

    public PodResourcesPoller(
            LatestSnapshot latest,
            AllocationHandler.Lister podResources,
            BooleanSupplier podsKnown,
            Runnable firstRead,
            InstantSource clock) {
        this.latest = Objects.requireNonNull(latest);
        this.podResources = Objects.requireNonNull(podResources);
        this.podsKnown = Objects.requireNonNull(podsKnown);
        this.firstRead = Objects.requireNonNull(firstRead);
        this.clock = Objects.requireNonNull(clock);
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Reads them soon; returns at once. */
    public void readSoon() {
        asked.release();
    }

    private void run() {
        try {
            awaitPods();
            read();
            firstRead.run();
            while (true) {
                Duration wait = latest.now().behind() ? BEHIND : USUAL;
                if (asked.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                    // What happens together is read together.
                    TimeUnit.MILLISECONDS.sleep(GAP.toMillis());
                    asked.drainPermits();
                }
                read();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitPods() throws InterruptedException {
        Instant end = clock.instant().plus(FIRST_PODS);
        while (!podsKnown.getAsBoolean() && clock.instant().isBefore(end)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private void read() {
        Instant before = clock.instant();
        Optional<PodResourcesList> listed = podResources.list(LIST_TIME);
        listed.ifPresent(now -> latest.update(picture -> picture.withListed(now, before)));
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
