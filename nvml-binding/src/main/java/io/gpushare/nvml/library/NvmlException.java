package io.gpushare.nvml.library;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A failed NVML call. Each subclass needs a different reaction. */
public abstract sealed class NvmlException extends Exception
        permits NvmlException.DriverMissing, NvmlException.CardLost, NvmlException.Unsupported, NvmlException.Failed {
    private static final long serialVersionUID = 1;

    private NvmlException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** There is no library, or no loaded driver: every call fails, and a later attempt may succeed. */
    public static final class DriverMissing extends NvmlException {
        private static final long serialVersionUID = 1;

        private final boolean library;

        /** @param library whether even the library is missing */
        public DriverMissing(String message, boolean library, @Nullable Throwable cause) {
            super(message, cause);
            this.library = library;
        }

        /** Whether even the library is missing. */
        public boolean library() {
            return library;
        }
    }

    /** One card fell off the bus or is unreachable; the others still respond. */
    public static final class CardLost extends NvmlException {
        private static final long serialVersionUID = 1;

        private final @Nullable String uuid;

        public CardLost(String message, @Nullable String uuid) {
            super(message, null);
            this.uuid = uuid;
        }

        /** The card's UUID; empty where NVML does not name the card. */
        public Optional<String> uuid() {
            return Optional.ofNullable(uuid);
        }
    }

    /** The card lacks the feature, or the driver lacks the call: a retry is useless. */
    public static final class Unsupported extends NvmlException {
        private static final long serialVersionUID = 1;

        Unsupported(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Any other failure, with NVML's code and message. */
    public static final class Failed extends NvmlException {
        private static final long serialVersionUID = 1;

        private final int code;

        Failed(String message, int code) {
            super(message, null);
            this.code = code;
        }

        /** NVML's return code (nvmlReturn_t). */
        public int code() {
            return code;
        }
    }
}
