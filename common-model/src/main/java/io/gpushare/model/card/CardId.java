package io.gpushare.model.card;

import io.gpushare.model.text.Printable;
import java.util.regex.Pattern;

/**
 * The NVML UUID of a card, such as {@code GPU-60805828-8ab0-6124-67c4-9baff56d087b}; a MIG instance has {@code MIG-}.
 */
public record CardId(String uuid) implements Comparable<CardId> {
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,79}");

    public CardId {
        if (!FORM.matcher(uuid).matches()) {
            throw new IllegalArgumentException(Printable.quoted(uuid) + " is not the UUID of a card");
        }
    }

    /** Whether it is the UUID of a MIG instance. */
    public boolean instance() {
        return uuid.startsWith("MIG-");
    }

    /** What a container has that takes it whole. */
    public Share whole() {
        return instance() ? Share.INSTANCE : Share.WHOLE_CARD;
    }

    @Override
    public int compareTo(CardId other) {
        return uuid.compareTo(other.uuid);
    }

    @Override
    public String toString() {
        return uuid;
    }
}
