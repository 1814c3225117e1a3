package io.gpushare.time;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts that a program has started. They are closed in the reverse order, also if one of them fails to. */
public final class StartedParts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StartedParts.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Closes that part before those that were added earlier. */
    public <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    @Override
    public void close() {
        parts.forEach(StartedParts::close);
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // whatever a part throws, the others are closed
            LOG.error("{} failed to close", part.getClass().getSimpleName(), e);
        }
    }
}
