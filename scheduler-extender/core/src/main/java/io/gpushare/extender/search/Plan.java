package io.gpushare.extender.search;

import java.util.List;
import java.util.stream.Stream;

/** The answer to a {@link Question}. */
public sealed interface Plan {
    /** The pod fits on that node now. */
    record NotNeeded(String node) implements Plan {}

    /**
     * Nothing helps.
     *
     * @param why a sentence without an end
     */
    record NotPossible(String why) implements Plan {}

    /**
     * These pods must leave, in order. There are several departures only if as many cards as possible are to be freed.
     */
    record Leave(List<Departure> departures) implements Plan {
        public Leave {
            departures = List.copyOf(departures);
        }

        /** All moves in order. */
        public Stream<Move> moves() {
            return departures.stream().flatMap(departure -> departure.moves().stream());
        }
    }
}
