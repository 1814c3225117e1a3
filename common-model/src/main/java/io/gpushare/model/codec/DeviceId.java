package io.gpushare.model.codec;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.text.Printable;

/**
 * The ID of a device at the kubelet. It names the card and is unique over all resources: {@code GPU-<uuid>::<n>} for a
 * memory unit, {@code GPU-<uuid>} for a whole card, {@code GPU-<uuid>::c<n>} for a percent of its cores, {@code
 * GPU-<uuid>::s<n>} for a slot.
 */
public sealed interface DeviceId {
    String SEPARATOR = "::";

    CardId card();

    /** The kind of share that the device represents. */
    ShareKind kind();

    /** The share of the card that the device represents. */
    default Share share() {
        return kind().share(1);
    }

    /** Distinguishes the devices of one kind on the card. */
    int number();

    /** One unit of that card's memory; the number only distinguishes the units of a card. */
    record MemoryUnitOf(CardId card, int number) implements DeviceId {
        @Override
        public ShareKind kind() {
            return ShareKind.MEMORY;
        }

        @Override
        public String toString() {
            return card + SEPARATOR + number;
        }
    }

    /** One percent or one slot of that card; the number only distinguishes those of one kind. */
    record PartOf(ShareKind kind, CardId card, int number) implements DeviceId {
        @Override
        public String toString() {
            return card + SEPARATOR + letter(kind) + number;
        }
    }

    /** The whole card, or MIG instance. */
    record WholeCard(CardId card) implements DeviceId {
        @Override
        public int number() {
            return 0;
        }

        @Override
        public ShareKind kind() {
            return card.instance() ? ShareKind.INSTANCES : ShareKind.WHOLE_CARDS;
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
                            : part(new CardId(id.substring(0, at)), id.substring(at + SEPARATOR.length())));
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>(Printable.quoted(id) + " is not a device of ours: " + e.getMessage());
        }
    }

    private static DeviceId part(CardId card, String number) {
        for (ShareKind kind : ShareKind.BESIDE) {
            if (number.startsWith(letter(kind))) {
                return new PartOf(kind, card, Integer.parseUnsignedInt(number.substring(1)));
            }
        }
        return new MemoryUnitOf(card, Integer.parseUnsignedInt(number));
    }

    /** The first letter of the kind's name, before the number. */
    private static String letter(ShareKind kind) {
        return kind.toString().substring(0, 1);
    }
}
