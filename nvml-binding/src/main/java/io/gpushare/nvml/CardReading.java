package io.gpushare.nvml;

import java.util.Objects;
import java.util.Optional;

/** What was seen at one of NVML's indices: a card, or why there is none to see. */
public sealed interface CardReading {
    /** The card's place in NVML's order. */
    int index();

    /** The card answered. */
    record Present(int index, CardFacts facts) implements CardReading {
        public Present {
            Objects.requireNonNull(facts);
        }
    }

    /**
     * The card is there and does not answer: it fell off the bus, or failed.
     *
     * @param uuid the card's UUID where this session saw the card at this index before
     * @param reason NVML's words, for people
     */
    record Lost(int index, Optional<String> uuid, String reason) implements CardReading {
        public Lost {
            Objects.requireNonNull(uuid);
            Objects.requireNonNull(reason);
        }
    }
}
