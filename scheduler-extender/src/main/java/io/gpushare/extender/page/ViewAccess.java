package io.gpushare.extender.page;

import io.gpushare.extender.report.Explainer;
import io.gpushare.extender.view.MemoryUsage;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** What the server shows to people, and to whom. */
public record ViewAccess(Explainer explain, MemoryUsage use, Access access) {
    /** Who may look. */
    public enum Access {
        /** Nobody: there is nothing at these paths. */
        OFF,
        /** Whoever may inspect: where client certificates are demanded, only who shows one. */
        ON,
        /** Everybody who reaches the port, also where client certificates are demanded. */
        OPEN;

        /** Reads an option's word. */
        public static Optional<Access> parse(String word) {
            for (Access access : values()) {
                if (access.name().toLowerCase(Locale.ROOT).equals(word)) {
                    return Optional.of(access);
                }
            }
            return Optional.empty();
        }
    }

    public ViewAccess {
        Objects.requireNonNull(explain);
        Objects.requireNonNull(use);
        Objects.requireNonNull(access);
    }
}
