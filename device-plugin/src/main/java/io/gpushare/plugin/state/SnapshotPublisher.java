package io.gpushare.plugin.state;

import io.gpushare.plugin.part.PeriodicTask;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Publishes the latest snapshot on a thread of its own after every change; changes that come together are published once.
 * Nothing is published before every source was read once: such a list would withdraw devices, or offer devices in use.
 */
public final class SnapshotPublisher implements AutoCloseable {
    /** What has to be read before devices are offered. */
    public enum Source {
        CARDS,
        CORDONS,
        POD_RESOURCES
    }

    private final Set<Source> unread = EnumSet.allOf(Source.class);
    private final PeriodicTask task;

    /** @param publish sends the latest snapshot, whatever changed; run by the publisher's thread only */
    public SnapshotPublisher(Runnable publish) {
        task = PeriodicTask.onRequest("publisher", Duration.ZERO, () -> {
            if (complete()) {
                publish.run();
            }
            return PeriodicTask.ON_REQUEST;
        });
    }

    public void start() {
        task.start();
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
