package io.gpushare.plugin.cards;

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

/** Keeps a watch on the Xid errors of the cards that are present, and opens another when they change or it fails. */
final class XidListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(XidListener.class);

    private @Nullable XidWatch watch;
    private Set<String> watched = Set.of();
    private String trouble = "";

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
                        .forEach(uuid ->
                                LOG.warn("card {} tells no Xid errors: only a lost card will be noticed there", uuid));
            }
            trouble = "";
        } catch (NvmlException.Unsupported e) {
            LOG.warn("the driver tells no Xid errors, only lost cards will be noticed: {}", e.getMessage());
        } catch (NvmlException e) {
            fail(e);
        }
    }

    /** Whether there is something to wait for. */
    boolean listening() {
        return watch != null;
    }

    /** The next Xid error within that time; also empty, and no longer listening, when waiting failed. */
    Optional<XidEvent> await(Duration time) {
        try {
            return watch == null ? Optional.empty() : watch.await(time);
        } catch (NvmlException e) {
            // A card fell off the bus, mostly: the scan says which. The events of the others need a new watch.
            fail(e);
            return Optional.empty();
        }
    }

    private void fail(NvmlException e) {
        close();
        String now = String.valueOf(e.getMessage());
        if (!now.equals(trouble)) {
            LOG.warn("no Xid errors are told, watching anew: {}", now);
        }
        trouble = now;
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
