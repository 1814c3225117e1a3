package io.gpushare.plugin.claims.offer;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.ResourceApi;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the slices of a node whose cards are not offered by claims any more: kube-scheduler would allocate them.
 *
 * <p>The API server may carry out a request of a process that was killed before. So they are looked for again for two
 * minutes, which is longer than API servers let a request wait, and later when the kubelet lets a claim be prepared: it
 * was allocated by a slice. Nothing is watched or read all the time.
 */
public final class SliceRemoval {
    private static final Logger LOG = LoggerFactory.getLogger(SliceRemoval.class);
    private static final int NOT_FOUND = 404;
    /** The time after each look, as long as none finds a slice. */
    private static final List<Duration> LATER =
            List.of(Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofSeconds(40), Duration.ofSeconds(60));

    private static final Duration GAP = Duration.ofSeconds(5);

    private final ResourceApi resources;
    private final String driver;
    private final String node;
    private final InstantSource clock;
    private Instant last = Instant.MIN;
    private Instant due;
    /** The looks since one found slices. Before the first one they may be there. */
    private int looks;

    private String problem = "";

    /** @param any whether this node may have any */
    public SliceRemoval(ResourceApi resources, String driver, String node, boolean any, InstantSource clock) {
        this.resources = resources;
        this.driver = driver;
        this.node = node;
        this.clock = clock;
        due = any ? clock.instant() : never();
    }

    private Instant never() {
        return clock.instant().plus(PeriodicTask.ON_REQUEST);
    }

    /** Deletes them, if a look is due; returns why they may be there, as a part of a sentence. */
    public synchronized Optional<String> problem() {
        if (!clock.instant().isBefore(due)) {
            last = clock.instant();
            look();
        }
        return Optional.of(problem).filter(text -> !text.isEmpty());
    }

    /** The time until the next look. */
    public synchronized Duration rest() {
        Duration rest = Duration.between(clock.instant(), due);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** The kubelet lets a claim be prepared that was allocated on this node: the next look is soon. */
    public synchronized void allocated() {
        Instant soon = last.equals(Instant.MIN) ? clock.instant() : last.plus(GAP);
        due = soon.isBefore(due) ? soon : due;
    }

    private void look() {
        try {
            List<ResourceApi.Slice> present = resources.slices(driver, node);
            looks = present.isEmpty() ? looks : 0;
            for (ResourceApi.Slice slice : present) {
                resources.delete(slice.name());
                LOG.info("deleted slice {}: this node offers its cards by the device plugin", slice.name());
            }
            problem = "";
            due = looks < LATER.size() ? last.plus(LATER.get(looks)) : never();
            looks++;
        } catch (KubernetesException e) {
            boolean none = e.status() == NOT_FOUND; // an API server before 1.34 has none
            // An API server that can't be read later does not close a node that had none.
            problem = none || looks > 0 ? "" : "this node's ResourceSlices can't be deleted: " + e.getMessage();
            // From now on: an API server that is frozen takes longer than the gap to say nothing.
            due = none ? never() : clock.instant().plus(looks > 0 ? LATER.getLast() : GAP);
        }
    }
}
