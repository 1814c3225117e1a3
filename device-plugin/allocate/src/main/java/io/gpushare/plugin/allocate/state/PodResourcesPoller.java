package io.gpushare.plugin.allocate.state;

import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.allocate.snapshot.PodResourcesList;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Reads what the kubelet has allocated. It reads pod-resources when the snapshot may differ from it: at the start, when
 * pods are deleted, and periodically, but not after each Allocate: the plugin knows its own responses, and
 * pod-resources serves few calls at a time. It then reads the kubelet's checkpoint, the first time and while there are
 * cards whose Allocate the plugin did not answer.
 */
public final class PodResourcesPoller implements AutoCloseable {
    /** Lists pod-resources; empty when the kubelet does not respond within the timeout. */
    @FunctionalInterface
    public interface Lister {
        Optional<PodResourcesList> list(Duration timeout);
    }

    private static final Duration LIST_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration GAP = Duration.ofMillis(100);
    /**
     * The interval while the API has not reported pods that the kubelet lists, or any pods, or the kubelet does not
     * respond.
     */
    private static final Duration BEHIND = Duration.ofSeconds(1);

    private static final Duration USUAL = Duration.ofMinutes(1);
    /** How long the first list waits for the first pods of the API; it is read without them afterwards. */
    private static final Duration FIRST_PODS = Duration.ofSeconds(5);

    private final LatestSnapshot latest;
    private final Lister podResources;
    private final Supplier<Optional<KubeletCheckpoint>> checkpoint;
    private final BooleanSupplier podsKnown;
    private final Runnable attempted;
    private final InstantSource clock;
    private final PeriodicTask task = new PeriodicTask("pod-resources", Duration.ZERO, GAP, this::step);
    private boolean started;
    private boolean checkpointRead;

    /**
     * Makes a poller; it reads nothing before {@link #start}.
     *
     * @param checkpoint reads the kubelet's checkpoint; empty if that fails
     * @param podsKnown whether the API reported the node's pods a first time
     * @param attempted is run after each read, also if the kubelet did not respond
     */
    public PodResourcesPoller(
            LatestSnapshot latest,
            Lister podResources,
            Supplier<Optional<KubeletCheckpoint>> checkpoint,
            BooleanSupplier podsKnown,
            Runnable attempted,
            InstantSource clock) {
        this.latest = latest;
        this.podResources = podResources;
        this.checkpoint = checkpoint;
        this.podsKnown = podsKnown;
        this.attempted = attempted;
        this.clock = clock;
    }

    public void start() {
        task.start();
    }

    /** Requests a read; returns at once. */
    public void readSoon() {
        task.runSoon();
    }

    private Duration step() throws InterruptedException {
        if (!started) {
            started = true;
            awaitPods();
        }
        boolean listed = read();
        boolean behind = !listed || !checkpointRead || latest.now().behind() || !podsKnown.getAsBoolean();
        return behind ? BEHIND : USUAL;
    }

    private void awaitPods() throws InterruptedException {
        Instant end = clock.instant().plus(FIRST_PODS);
        while (!podsKnown.getAsBoolean() && clock.instant().isBefore(end)) {
            Machine.here().pause(Duration.ofMillis(20));
        }
    }

    /** Reads both sources; returns whether the kubelet responded. */
    private boolean read() {
        Instant before = clock.instant();
        Optional<PodResourcesList> listed = podResources.list(LIST_TIMEOUT);
        listed.ifPresent(now -> latest.update(snapshot -> snapshot.withListed(now, before)));
        if (!checkpointRead || latest.now().unproved()) {
            checkpoint.get().ifPresent(now -> {
                checkpointRead = true;
                latest.update(snapshot -> snapshot.withCheckpoint(now));
            });
        }
        attempted.run();
        return listed.isPresent();
    }

    @Override
    public void close() {
        task.close();
    }
}
