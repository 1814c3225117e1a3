package io.gpushare.plugin.node.offer;

import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Publishes the latest snapshot on a thread of its own after every change; changes that come together are published
 * once. Nothing is published before every source was read once: such a list would withdraw devices, or offer devices in
 * use.
 */
public final class SnapshotPublisher implements AutoCloseable {
    /** What has to be read before devices are offered. */
    public enum Source {
        CARDS,
        CORDONS,
        POD_RESOURCES
    }

    private final Set<Source> unread = EnumSet.allOf(Source.class);
    private final PeriodicTask task = PeriodicTask.onRequest("publisher", Duration.ZERO, this::step);
    private volatile Runnable publish = () -> {};

    /**
     * Starts to publish.
     *
     * @param action sends the latest snapshot, whatever changed; run by the publisher's thread only
     */
    public void start(Runnable action) {
        publish = action;
        task.start();
    }

    private Duration step() {
        if (complete()) {
            publish.run();
        }
        return PeriodicTask.ON_REQUEST;
    }

    /** The snapshot changed; returns at once. */
    public void changed() {
        task.runSoon();
    }

    /** The snapshot has what this source reported; returns at once. */
    public void read(Source source) {
        synchronized (unread) {
            unread.remove(source);
        }
        changed();
    }

    private boolean complete() {
        synchronized (unread) {
            return unread.isEmpty();
        }
    }

    @Override
    public void close() {
        task.close();
    }
}
