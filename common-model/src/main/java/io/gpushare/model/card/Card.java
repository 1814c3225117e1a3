package io.gpushare.model.card;

import org.jspecify.annotations.Nullable;

/**
 * One physical card, or MIG instance of one, with its facts, its health and whether it is cordoned.
 *
 * @param index NVML's index on the node, from 0: what gpushare's annotations call IDX. MIG instances have the numbers
 *     after all cards
 * @param minor the number in {@code /dev/nvidia<minor>}, which may differ from the index; null where there is no such
 *     file. An instance has that of its parent
 * @param model NVML's product name
 * @param memory the card's whole memory; 0 where it is unknown, and the card can only be taken whole
 * @param cordoned whether an operator excluded it from new pods; running pods keep it
 * @param held whether it accepts no new pods while others are moved away from it, by an annotation of the node
 * @param inUseBy who has it by another offer than the node's, or has ended and still computes there, as a few names: it
 *     is not offered until they end; null if nobody has or does
 * @param taint what DeviceTaintRules write on it, which keeps claims away that do not tolerate it, with the rule's
 *     name; null for nothing. In the extender only
 * @param foreign the memory that processes use there to which nothing of it is allocated: new pods do not get it
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
        @Nullable String inUseBy,
        @Nullable String taint,
        Memory foreign,
        CardIsolation isolation) {
    /**
     * What not every driver reports of a card; each is null where it is unknown.
     *
     * @param instance null for a physical card
     * @param pciAddress of the physical card, as Linux writes it; not in the annotation of the node
     * @param reserved what the driver keeps of the card's memory for itself, in whole MiB; 0 where that is unknown
     */
    public record Details(
            @Nullable ComputeCapability compute,
            @Nullable Boolean ecc,
            @Nullable Integer numaNode,
            @Nullable Boolean mig,
            @Nullable MigInstance instance,
            Memory reserved,
            @Nullable String pciAddress) {
        public static final Details UNKNOWN = new Details(null, null, null, null);

        /** The details of a physical card. */
        public Details(
                @Nullable ComputeCapability compute,
                @Nullable Boolean ecc,
                @Nullable Integer numaNode,
                @Nullable Boolean mig) {
            this(compute, ecc, numaNode, mig, null);
        }

        /** The details of a card of which nobody knows what the driver reserves. */
        public Details(
                @Nullable ComputeCapability compute,
                @Nullable Boolean ecc,
                @Nullable Integer numaNode,
                @Nullable Boolean mig,
                @Nullable MigInstance instance) {
            this(compute, ecc, numaNode, mig, instance, new Memory(0));
        }

        /** The details of a card whose PCI address nobody knows. */
        public Details(
                @Nullable ComputeCapability compute,
                @Nullable Boolean ecc,
                @Nullable Integer numaNode,
                @Nullable Boolean mig,
                @Nullable MigInstance instance,
                Memory reserved) {
            this(compute, ecc, numaNode, mig, instance, reserved, null);
        }

        /** The same at that PCI address. */
        public Details withPciAddress(@Nullable String address) {
            return new Details(compute, ecc, numaNode, mig, instance, reserved, address);
        }

        /** The same with that much memory reserved by the driver. */
        public Details withReserved(Memory changed) {
            return new Details(compute, ecc, numaNode, mig, instance, changed, pciAddress);
        }
    }

    public Card {
        if (index < 0 || (minor != null && minor < 0)) {
            throw new IllegalArgumentException("card " + id + " has a negative index or minor number");
        }
    }

    /** A healthy card that is not cordoned, and whose memory is counted. */
    public Card(CardId id, int index, @Nullable Integer minor, String model, Memory memory, Details details) {
        this(
                id,
                index,
                minor,
                model,
                memory,
                details,
                new Health.Healthy(),
                false,
                false,
                null,
                null,
                new Memory(0),
                CardIsolation.NONE);
    }

    /** A healthy card with placeholder facts, for simulations and tests. */
    public static Card of(String uuid, int index, Memory memory) {
        return new Card(new CardId(uuid), index, index, "simulated", memory, Details.UNKNOWN);
    }

    /** The same with that number. */
    public Card withIndex(int changed) {
        return new Card(
                id, changed, minor, model, memory, details, health, cordoned, held, inUseBy, taint, foreign, isolation);
    }

    public Card withHealth(Health changed) {
        return new Card(
                id, index, minor, model, memory, details, changed, cordoned, held, inUseBy, taint, foreign, isolation);
    }

    public Card withCordoned(boolean changed) {
        return new Card(
                id, index, minor, model, memory, details, health, changed, held, inUseBy, taint, foreign, isolation);
    }

    public Card withHeld(boolean changed) {
        return new Card(
                id, index, minor, model, memory, details, health, cordoned, changed, inUseBy, taint, foreign,
                isolation);
    }

    /** The same that those have by another offer; null if nobody has. */
    public Card withInUse(@Nullable String by) {
        return new Card(
                id, index, minor, model, memory, details, health, cordoned, held, by, taint, foreign, isolation);
    }

    /** The same on which rules write that taint; null if none does. */
    public Card withTaint(@Nullable String changed) {
        return new Card(
                id, index, minor, model, memory, details, health, cordoned, held, inUseBy, changed, foreign, isolation);
    }

    /** The same on which processes use that much to which nothing is allocated. */
    public Card withForeign(Memory used) {
        return new Card(
                id, index, minor, model, memory, details, health, cordoned, held, inUseBy, taint, used, isolation);
    }

    public Card withIsolation(CardIsolation changed) {
        return new Card(
                id, index, minor, model, memory, details, health, cordoned, held, inUseBy, taint, foreign, changed);
    }

    /** The profile of a MIG instance; null for a physical card. */
    public @Nullable String profile() {
        return details.instance() == null ? null : details.instance().profile();
    }

    /** The model, with the profile of a MIG instance as drivers write it: {@code NVIDIA A30 MIG 1g.6gb}. */
    public String title() {
        return details.instance() == null
                ? model
                : model + " MIG " + details.instance().profile();
    }

    /** The physical card: itself, or the one that it is an instance of. */
    public CardId physical() {
        return details.instance() == null ? id : details.instance().parent();
    }

    /** The memory that programs can have together: what CUDA reports as the card's total. */
    public Memory usableMemory() {
        return memory.minus(details.reserved());
    }

    /** The memory that is cut into units: all but what is kept for the driver and the isolation. */
    public Memory offeredMemory() {
        return memory.minus(isolation.headroom());
    }

    /** Whether the amount of its memory is known. */
    public boolean hasMemory() {
        return memory.bytes() > 0;
    }

    /** Whether it offers memory to new pods, if it accepts any. */
    public boolean sharesMemory() {
        return !isolation.closed();
    }

    /**
     * Whether a container can use its memory together with that of other cards. A process sees at most one MIG
     * instance, and is a client of one card's MPS only.
     */
    public boolean joinsOthers() {
        return details.instance() == null && isolation.inForce() != Isolation.MPS;
    }

    /** Whether it accepts new pods: it is healthy, and neither cordoned, nor tainted, nor in use, nor held. */
    public boolean placeable() {
        return health.healthy() && !cordoned && taint == null && inUseBy == null && !held;
    }
}
