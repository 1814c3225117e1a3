package io.gpushare.nvml;

import java.util.Objects;
import java.util.Optional;

/** The result of reading the card at one of NVML's indices. */
public sealed interface CardReading {
    /** The card's index in NVML. */
    int index();

    /** The card responds. */
    record Present(int index, CardFacts facts) implements CardReading {
        public Present {
            Objects.requireNonNull(facts);
        }
    }

    /**
     * The card exists and does not respond: it fell off the bus, or failed.
     *
     * @param uuid the card's UUID if this session read the card at this index before
     * @param reason NVML's message, for operators
     */
    record Lost(int index, Optional<String> uuid, String reason) implements CardReading {
        public Lost {
            Objects.requireNonNull(uuid);
            Objects.requireNonNull(reason);
        }
    }
}
