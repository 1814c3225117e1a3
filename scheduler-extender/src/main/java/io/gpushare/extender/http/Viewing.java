package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Explain;
import io.gpushare.extender.view.TrueUse;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** What the server shows to people, and to whom. */
public record Viewing(Explain explain, TrueUse use, Access access) {
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

    public Viewing {
        Objects.requireNonNull(explain);
        Objects.requireNonNull(use);
        Objects.requireNonNull(access);
    }
}
