package io.gpushare.plugin.claims.prepare;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** A lock for each claim that is worked on: the kubelet may give up a call and begin the next one while it goes on. */
final class ClaimLocks {
    private final Map<String, Held> locks = new HashMap<>();

    /** Held until it is closed; the last user removes it. */
    final class Held implements AutoCloseable {
        private final String uid;
        private final ReentrantLock lock = new ReentrantLock(true);
        private int users;

        private Held(String uid) {
            this.uid = uid;
        }

        @Override
        public void close() {
            lock.unlock();
            left(this);
        }
    }

    /** Waits for the lock of that claim. */
    Held lock(String uid) {
        Held held = entered(uid);
        held.lock.lock();
        return held;
    }

    /** The number of claims that are worked on. */
    synchronized int size() {
        return locks.size();
    }

    private synchronized Held entered(String uid) {
        Held held = locks.computeIfAbsent(uid, Held::new);
        held.users++;
        return held;
    }

    private synchronized void left(Held held) {
        held.users--;
        if (held.users == 0) {
            locks.remove(held.uid);
        }
    }
}
