package io.gpushare.plugin.node.cards;

import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.XidEvent;
import io.gpushare.nvml.XidWatch;
import io.gpushare.nvml.library.NvmlException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches the Xid errors of the present cards, and opens a new watch when the cards change or the watch fails. */
final class XidListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(XidListener.class);

    private @Nullable XidWatch watch;
    private Set<String> watched = Set.of();
    private String problem = "";

    /** The cards that are watched now. */
    Set<String> watched() {
        return watched;
    }

    /** Watches these cards from now on. */
    void follow(Nvml session, Set<String> present) {
        if (present.equals(watched)) {
            return;
        }
        close();
        watched = Set.copyOf(present);
        try {
            if (!present.isEmpty()) {
                watch = session.watchXids(present);
                watch.unwatched()
                        .forEach(
                                uuid -> LOG.warn("card {} reports no Xid errors: only its loss will be noticed", uuid));
            }
            problem = "";
        } catch (NvmlException.Unsupported e) {
            LOG.warn("the driver reports no Xid errors, only lost cards will be noticed: {}", e.getMessage());
        } catch (NvmlException e) {
            fail(e);
        }
    }

    /** Whether a watch is open. */
    boolean listening() {
        return watch != null;
    }

    /** The next Xid error within that time; if the watch fails, the result is empty and the watch is closed. */
    Optional<XidEvent> await(Duration time) {
        try {
            return watch == null ? Optional.empty() : watch.await(time);
        } catch (NvmlException e) {
            // Usually a card was lost, and the scan finds out which one. The others need a new watch.
            fail(e);
            return Optional.empty();
        }
    }

    private void fail(NvmlException e) {
        close();
        String now = String.valueOf(e.getMessage());
        if (!now.equals(problem)) {
            LOG.warn("the watch for Xid errors failed, opening a new one: {}", now);
        }
        problem = now;
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
            watch = null;
        }
        watched = Set.of();
    }
}
