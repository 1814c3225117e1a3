package io.gpushare.plugin.state;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Semaphore;

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
    private final Semaphore changes = new Semaphore(0);
    private final Thread thread;

    /** @param publish sends the latest snapshot, whatever changed; run by the publisher's thread only */
    public SnapshotPublisher(Runnable publish) {
        this.thread = new Thread(() -> run(publish), "publisher");
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** The snapshot changed; returns at once. */
    public void changed() {
        changes.release();
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

    private void run(Runnable publish) {
        try {
            while (true) {
                changes.acquire();
                changes.drainPermits();
                if (complete()) {
                    publish.run();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
