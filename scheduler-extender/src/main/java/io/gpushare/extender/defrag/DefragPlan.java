package io.gpushare.extender.defrag;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** What moving pods can achieve. */
public sealed interface DefragPlan {
    /** These moves, in order, free the cards. */
    record Moves(List<FreedCards> freed) implements DefragPlan {
        public Moves {
            freed = List.copyOf(freed);
        }

        /** All moves in order. */
        public Stream<Move> moves() {
            return freed.stream().flatMap(cards -> cards.moves().stream());
        }
    }

    /** The waiting pod fits on that node without any move. */
    record NotNeeded(String node) implements DefragPlan {
        public NotNeeded {
            Objects.requireNonNull(node);
        }
    }

    /**
     * No moves help.
     *
     * @param why a sentence without an end
     */
    record NotPossible(String why) implements DefragPlan {
        public NotPossible {
            Objects.requireNonNull(why);
        }
    }
}
