package io.gpushare.nvml.library;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** NVML did not answer; the four kinds are four different things to do about it. */
public abstract sealed class NvmlException extends Exception
        permits NvmlException.DriverMissing, NvmlException.CardLost, NvmlException.Unsupported, NvmlException.Failed {
    private static final long serialVersionUID = 1;

    private NvmlException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** There is no library, or no driver behind it: nothing can be asked, and a later try may find it. */
    public static final class DriverMissing extends NvmlException {
        private static final long serialVersionUID = 1;

        public DriverMissing(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** One card fell off the bus or can't be reached; the others still answer. */
    public static final class CardLost extends NvmlException {
        private static final long serialVersionUID = 1;

        private final @Nullable String uuid;

        public CardLost(String message, @Nullable String uuid) {
            super(message, null);
            this.uuid = uuid;
        }

        /** The card's UUID; empty where NVML does not say which card it was. */
        public Optional<String> uuid() {
            return Optional.ofNullable(uuid);
        }
    }

    /** The card does not have what was asked for, or the driver lacks the call: asking again is no use. */
    public static final class Unsupported extends NvmlException {
        private static final long serialVersionUID = 1;

        Unsupported(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Every other failure, with NVML's code and text. */
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
