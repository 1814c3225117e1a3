package io.gpushare.model.codec;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.text.Printable;

/**
 * The ID of a device at the kubelet. It names the card and is unique over both resources: {@code GPU-<uuid>::<n>} for a
 * memory unit, {@code GPU-<uuid>} for a whole card.
 */
public sealed interface DeviceId {
    String SEPARATOR = "::";

    CardId card();

    /** The share of the card that the device represents. */
    Share share();

    /** Distinguishes the devices of one kind on the card. */
    int number();

    /** One unit of that card's memory; the number only distinguishes the units of a card. */
    record MemoryUnitOf(CardId card, int number) implements DeviceId {
        @Override
        public Share share() {
            return Share.memory(1);
        }

        @Override
        public String toString() {
            return card + SEPARATOR + number;
        }
    }

    /** The whole card. */
    record WholeCard(CardId card) implements DeviceId {
        @Override
        public int number() {
            return 0;
        }

        @Override
        public Share share() {
            return Share.WHOLE_CARD;
        }

        @Override
        public String toString() {
            return card.toString();
        }
    }

    static Decoded<DeviceId> parse(String id) {
        int at = id.indexOf(SEPARATOR);
        try {
            return new Decoded.Valid<>(
                    at < 0
                            ? new WholeCard(new CardId(id))
                            : new MemoryUnitOf(
                                    new CardId(id.substring(0, at)),
                                    Integer.parseUnsignedInt(id.substring(at + SEPARATOR.length()))));
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>(Printable.quoted(id) + " is not a device of ours: " + e.getMessage());
        }
    }
}
