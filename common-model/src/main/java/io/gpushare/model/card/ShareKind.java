package io.gpushare.model.card;

import java.util.List;
import java.util.Locale;

/** The kinds of amounts in a {@link Share}. Each is an extended resource in Kubernetes. */
public enum ShareKind {
    /** Memory units of cards that pods share. */
    MEMORY {
        @Override
        public int in(Share share) {
            return share.units();
        }

        @Override
        public Share share(int amount) {
            return Share.memory(amount);
        }
    },
    /** Whole cards. */
    WHOLE_CARDS {
        @Override
        public int in(Share share) {
            return share.wholeCards();
        }

        @Override
        public Share share(int amount) {
            return Share.whole(amount);
        }
    },
    /** Percent of the cores of a card that pods share, beside its memory. Clusters may do without this resource. */
    CORES {
        @Override
        public int in(Share share) {
            return share.cores();
        }

        @Override
        public Share share(int amount) {
            return Share.cores(amount);
        }
    },
    /** Slots of cards. Clusters may do without this resource. */
    SLOTS {
        @Override
        public int in(Share share) {
            return share.slots();
        }

        @Override
        public Share share(int amount) {
            return Share.slots(amount);
        }
    },
    /** MIG instances taken whole. Each profile is a resource of its own. */
    INSTANCES {
        @Override
        public int in(Share share) {
            return share.instances();
        }

        @Override
        public Share share(int amount) {
            return Share.instances(amount);
        }
    };

    /** The kinds that are percents of a card, each beside the memory that its pods share. */
    public static final List<ShareKind> PERCENTS = List.of(CORES);

    /** The kinds that a container has only beside memory or whole cards. */
    public static final List<ShareKind> BESIDE = List.of(CORES, SLOTS);

    /** Its name in annotations and sentences. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The amount of this kind in that share. */
    public abstract int in(Share share);

    /** A share of this kind alone. */
    public abstract Share share(int amount);

    /** The part of that kind of the share. */
    public Share partOf(Share share) {
        return share(in(share));
    }
}
