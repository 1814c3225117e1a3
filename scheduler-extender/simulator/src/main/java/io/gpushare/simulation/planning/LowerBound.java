package io.gpushare.simulation.planning;

/**
 * A number of new nodes that is proven to be necessary.
 *
 * @param nodes {@link Integer#MAX_VALUE} if no number is enough
 * @param by what of a node the pods would lack with fewer
 * @param sizes whether this follows from the sizes of single requests, of which only so many fit in one place, rather
 *     than from their sum
 */
public record LowerBound(int nodes, Limit by, boolean sizes) {
    /** What pods request of nodes. */
    public enum Limit {
        MEMORY("memory of cards"),
        WHOLE_CARDS("whole cards"),
        CPU("CPU"),
        NODE_MEMORY("memory of nodes");

        private final String words;

        Limit(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** Whether pods are left over with any number of nodes. */
    public boolean impossible() {
        return nodes == Integer.MAX_VALUE;
    }

    /** Which pods would lack something, in words. */
    public String who() {
        return sizes ? "the largest pods" : "pods";
    }

    /**
     * Requests as multiples of a fraction of a place, so that their sum shows that only so many fit there. Two shares
     * of more than half a card do not fit on one: with {@code parts = 1} each counts as the card. This is the dual
     * feasible function u<sup>(k)</sup> of Fekete and Schepers for k = {@code parts}, in whole numbers.
     *
     * @param place the size of the place; a card or a node
     * @param parts 0 for the amounts themselves
     */
    record Rounding(long place, int parts) {
        static final Rounding NONE = new Rounding(1, 0);

        /** What an amount counts at least. */
        long requested(long amount) {
            long more = (parts + 1) * amount;
            return parts == 0 ? amount : more % place == 0 ? parts * (more / place) : (parts + 1) * (more / place);
        }

        /** What all that fits in a place of that size counts at most. */
        long offered(long size) {
            return size == place ? requested(size) : parts == 0 ? size : (parts + 1) * ((parts + 1) * size / place);
        }
    }
}
