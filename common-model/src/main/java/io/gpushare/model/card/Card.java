package io.gpushare.model.card;

import org.jspecify.annotations.Nullable;

/**
 * One physical card with its facts, its health and whether it is cordoned.
 *
 * @param index NVML's index on the node, from 0: what gpushare's annotations call IDX
 * @param minor the number in {@code /dev/nvidia<minor>}, which may differ from the index; null where there is no such
 *     file
 * @param model NVML's product name
 * @param memory the card's whole memory; 0 where it is unknown, and the card can only be taken whole
 * @param cordoned whether an operator excluded it from new pods; running pods keep it
 * @param held whether it accepts no new pods while others are moved away from it
 * @param isolation what holds containers to their share of it
 */
public record Card(
        CardId id,
        int index,
        @Nullable Integer minor,
        String model,
        Memory memory,
        Details details,
        Health health,
        boolean cordoned,
        boolean held,
        CardIsolation isolation) {
    /** What not every driver reports of a card; each is null where it is unknown. */
    public record Details(
            @Nullable ComputeCapability compute,
            @Nullable Boolean ecc,
            @Nullable Integer numaNode,
            @Nullable Boolean mig) {
        public static final Details UNKNOWN = new Details(null, null, null, null);
    }

    public Card {
        if (index < 0 || (minor != null && minor < 0)) {
            throw new IllegalArgumentException("card " + id + " has a negative index or minor number");
        }
    }

    /** A healthy card that is not cordoned, and whose memory is counted. */
    public Card(CardId id, int index, @Nullable Integer minor, String model, Memory memory, Details details) {
        this(id, index, minor, model, memory, details, new Health.Healthy(), false, false, CardIsolation.NONE);
    }

    /** A healthy card with placeholder facts, for simulations and tests. */
    public static Card of(String uuid, int index, Memory memory) {
        return new Card(new CardId(uuid), index, index, "simulated", memory, Details.UNKNOWN);
    }

    public Card withHealth(Health changed) {
        return new Card(id, index, minor, model, memory, details, changed, cordoned, held, isolation);
    }

    public Card withCordoned(boolean changed) {
        return new Card(id, index, minor, model, memory, details, health, changed, held, isolation);
    }

    public Card withHeld(boolean changed) {
        return new Card(id, index, minor, model, memory, details, health, cordoned, changed, isolation);
    }

    public Card withIsolation(CardIsolation changed) {
        return new Card(id, index, minor, model, memory, details, health, cordoned, held, changed);
    }

    /** Whether the amount of its memory is known. */
    public boolean hasMemory() {
        return memory.bytes() > 0;
    }

    /** Whether it offers memory to new pods, if it accepts any. */
    public boolean sharesMemory() {
        return !isolation.closed();
    }

    /** Whether it accepts new pods: it is healthy, and neither cordoned nor held. */
    public boolean placeable() {
        return health.healthy() && !cordoned && !held;
    }
}
