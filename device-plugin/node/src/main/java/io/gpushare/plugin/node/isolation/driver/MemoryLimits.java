package io.gpushare.plugin.node.isolation.driver;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import java.nio.file.Path;
import java.util.Optional;

/** The driver's memory limits of cgroups. */
public interface MemoryLimits {
    /** The limit of that cgroup on the card; empty if it has none. */
    Optional<Memory> read(CardId card, Path cgroup) throws LimitException;

    /** Limits the memory of all processes below the cgroup. */
    void set(CardId card, Path cgroup, Memory limit) throws LimitException;

    void remove(CardId card, Path cgroup) throws LimitException;

    /** The driver did not do it; the message says why. */
    final class LimitException extends Exception {
        private static final long serialVersionUID = 1;

        private final boolean unsupported;

        /** @param unsupported whether the driver has no such limits, so that a retry is useless */
        public LimitException(String message, boolean unsupported) {
            super(message);
            this.unsupported = unsupported;
        }

        public boolean unsupported() {
            return unsupported;
        }
    }
}
