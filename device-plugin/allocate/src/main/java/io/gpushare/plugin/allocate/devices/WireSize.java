package io.gpushare.plugin.allocate.devices;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.DeviceId;
import java.util.Collection;
import java.util.Optional;

/**
 * The size of a memory device list on the wire. The kubelet keeps gRPC's default limit of 4 MiB for what it receives; a
 * larger list leaves the node without any capacity.
 */
public final class WireSize {
    /** The largest message that a kubelet receives, in bytes. */
    public static final long KUBELET_LIMIT = 4L << 20;

    // "Unhealthy" with its tag and length: the list must also fit when every device is unhealthy.
    private static final int HEALTH = 2 + "Unhealthy".length();

    private WireSize() {}

    /** Bytes of a ListAndWatchResponse with the memory devices of these cards, all unhealthy. */
    public static long ofMemoryList(Collection<Card> cards, MemoryUnit unit) {
        return cards.stream().mapToLong(card -> ofCard(card, unit)).sum();
    }

    private static long ofCard(Card card, MemoryUnit unit) {
        int prefix = card.id().uuid().length() + DeviceId.SEPARATOR.length();
        long units = unit.unitsIn(card.memory());
        long bytes = 0;
        // Numbers with the same count of digits make devices of the same size: 0 to 9, 10 to 99, …
        long from = 0;
        for (int digits = 1; from < units; digits++) {
            long to = Math.min(units, (long) Math.pow(10, digits));
            bytes += (to - from) * ofDevice(prefix + digits);
            from = to;
        }
        return bytes;
    }

    private static long ofDevice(int idLength) {
        int device = 1 + varint(idLength) + idLength + HEALTH;
        return 1L + varint(device) + device;
    }

    private static int varint(int value) {
        return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : 3;
    }

    /**
     * The smallest unit, in whole MiB, whose list for these cards fits; empty if {@code unit} itself fits.
     */
    public static Optional<MemoryUnit> smallestInsteadOf(MemoryUnit unit, Collection<Card> cards) {
        if (ofMemoryList(cards, unit) <= KUBELET_LIMIT) {
            return Optional.empty();
        }
        long tooSmall = unit.size().mib();
        // Above the largest card there are no devices at all, so this fits.
        long fits =
                cards.stream().map(Card::memory).mapToLong(Memory::mib).max().orElse(0) + 1;
        while (fits - tooSmall > 1) {
            long middle = (tooSmall + fits) / 2;
            if (ofMemoryList(cards, MemoryUnit.ofMib(middle)) <= KUBELET_LIMIT) {
                fits = middle;
            } else {
                tooSmall = middle;
            }
        }
        return Optional.of(MemoryUnit.ofMib(fits));
    }
}
