package io.gpushare.plugin.allocate.state;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.plugin.allocate.snapshot.AnnotationDifference;
import io.gpushare.plugin.allocate.snapshot.AnnotationDifference.Kind;
import io.gpushare.plugin.node.part.Backoff;
import io.gpushare.plugin.node.part.Counts;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the allocation annotation of each pod equal to what its containers have. It compares on request and
 * periodically, repairs one pod after the other, retries failures with a growing delay, and records each repair as an
 * Event.
 */
public final class AllocationReconciler implements AutoCloseable {
    /**
     * The delays of the reconciler.
     *
     * @param gap between two pods
     * @param failures after failures
     * @param again until the same pod is repaired again, or all are compared again
     */
    public record Pace(Duration gap, Backoff failures, Duration again) {
        public static final Pace USUAL = new Pace(
                Duration.ofMillis(50),
                new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30)),
                Duration.ofSeconds(10));
    }

    /** Writes the actual allocation on the pod. */
    @FunctionalInterface
    public interface Writer {
        void write(AnnotationDifference difference) throws KubernetesException;
    }

    /** @param backoff the delays of further failures */
    private record Attempt(Kind kind, Instant next, Backoff backoff) {}

    private static final Logger LOG = LoggerFactory.getLogger(AllocationReconciler.class);

    /** What only a user can resolve is reported again after this time. */
    private static final Duration REMINDER = Duration.ofHours(1);

    private final Supplier<List<AnnotationDifference>> differences;
    private final Writer pods;
    private final EventRecorder events;
    private final Pace pace;
    private final InstantSource clock;
    private final Map<String, Attempt> attempts = new HashMap<>();
    private final Counts<Kind> found =
            new Counts<>(Stream.of(Kind.values()).filter(Kind::reported).toList());
    private final AtomicLong failures = new AtomicLong();
    private final PeriodicTask task;

    public AllocationReconciler(
            Supplier<List<AnnotationDifference>> differences,
            Writer pods,
            EventRecorder events,
            Pace pace,
            InstantSource clock) {
        this.differences = differences;
        this.pods = pods;
        this.events = events;
        this.pace = pace;
        this.clock = clock;
        this.task = PeriodicTask.onRequest("allocations", pace.gap(), this::reconcile);
    }

    /** Starts; nothing is compared before the first {@link #reconcileSoon}. */
    public AllocationReconciler start() {
        task.start();
        return this;
    }

    /** Requests a comparison; returns at once. */
    public void reconcileSoon() {
        task.runSoon();
    }

    /** Repairs what is due; returns the time until the next repair is due. */
    private Duration reconcile() throws InterruptedException {
        List<AnnotationDifference> now = differences.get();
        Instant start = clock.instant();
        List<String> different =
                now.stream().map(each -> each.pod().ref().uid()).toList();
        // A repaired pod is left alone for a while, because the watch may be late.
        attempts.entrySet()
                .removeIf(entry -> !different.contains(entry.getKey())
                        && entry.getValue().next().isBefore(start));
        Duration wait = pace.again();
        for (AnnotationDifference difference : now) {
            @Nullable Attempt before = attempts.get(difference.pod().ref().uid());
            // An unconfirmed difference may become a known one.
            if (before == null
                    || before.kind() != difference.kind()
                    || !clock.instant().isBefore(before.next())) {
                repair(difference, before);
                Machine.here().pause(pace.gap());
            }
            Attempt after =
                    Objects.requireNonNull(attempts.get(difference.pod().ref().uid()));
            Duration due = Duration.between(clock.instant(), after.next());
            wait = due.compareTo(wait) < 0 ? due : wait;
        }
        return wait.isNegative() ? Duration.ZERO : wait;
    }

    private void repair(AnnotationDifference difference, @Nullable Attempt before) {
        String uid = difference.pod().ref().uid();
        try {
            if (difference.kind().written()) {
                pods.write(difference);
            }
            Instant next = clock.instant().plus(difference.kind().written() ? pace.again() : REMINDER);
            attempts.put(uid, new Attempt(difference.kind(), next, pace.failures()));
            if (difference.kind().reported()) {
                found.count(difference.kind());
            }
            event(difference).ifPresent(event -> report(difference, event));
        } catch (KubernetesException e) {
            Backoff backoff = before == null ? pace.failures() : before.backoff();
            attempts.put(uid, new Attempt(difference.kind(), clock.instant().plus(backoff.next()), backoff.failed()));
            failures.incrementAndGet();
            LOG.warn(
                    "the allocation of pod {} can't be written on it, next attempt in {} s: {}",
                    difference.pod().ref(),
                    backoff.next().toSeconds(),
                    e.getMessage());
        }
    }

    private void report(AnnotationDifference difference, PodEvent event) {
        if (event.warning()) {
            LOG.warn("pod {}: {}", difference.pod().ref(), event.message());
        } else {
            LOG.info("pod {}: annotated with its cards {}", difference.pod().ref(), difference.cards());
        }
        events.record(new EventSubject.Pod(difference.pod().ref()), event);
    }

    private static Optional<PodEvent> event(AnnotationDifference difference) {
        String cards = difference.cards();
        return switch (difference.kind()) {
            case MISSING ->
                event(
                        "GpuAllocationWritten",
                        "The pod was bound without the GPU Share extender; its containers have " + cards
                                + ", and the pod is annotated with them now.");
            case WRONG ->
                event(
                        "GpuAllocationMended",
                        "Annotation " + AnnotationKeys.ALLOCATION
                                + " did not name the cards that the containers have, " + cards
                                + "; it is corrected. Only the scheduler may write it.");
            case ADOPTED ->
                event(
                        "GpuAllocationWritten",
                        "The pod got " + cards
                                + " from another device plugin, keeps it, and is annotated with it now.");
            case UNASSIGNED, WITHDRAWN -> Optional.empty();
            case UNKNOWN_CARD ->
                event(
                        "GpuAllocationDoubtful",
                        "It is unknown which card the pod got from another device plugin: " + cards
                                + " hold its memory. Recreate the pod to free them.");
            case REFUSED ->
                event(
                        "GpuAllocationRefused",
                        "gpushare's device plugin gave a container of the pod no card, and the kubelet keeps that"
                                + " answer: the container fails at every start. Recreate the pod.");
            case UNCONFIRMED ->
                event(
                        "GpuAllocationDoubtful",
                        "Annotation " + AnnotationKeys.ALLOCATION + " names " + cards
                                + ", but the kubelet's devices are of another card, and its checkpoint does not tell"
                                + " which is right. The pod holds both until it is recreated.");
        };
    }

    private static Optional<PodEvent> event(String reason, String message) {
        return Optional.of(new PodEvent(!reason.equals("GpuAllocationWritten"), reason, message));
    }

    /** The number of differences found so far, by kind. */
    public Map<Kind, Long> found() {
        return found.all();
    }

    /** The number of differences that were repaired. */
    public long repaired() {
        return found.all().entrySet().stream()
                .filter(count -> count.getKey().repaired())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** The number of failed attempts to repair a difference. */
    public long failures() {
        return failures.get();
    }

    @Override
    public void close() {
        task.close();
    }
}
