package io.gpushare.model.selector;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MigInstance;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A value of a card's fact, actual or in a condition. {@code toString} is its text form. */
public sealed interface FactValue {
    /** An amount of memory. */
    record Amount(Memory memory) implements FactValue {
        private record Unit(String name, long bytes) {}

        private static final List<Unit> UNITS = List.of(
                new Unit("Ti", 1L << 40),
                new Unit("Gi", 1L << 30),
                new Unit("Mi", 1L << 20),
                new Unit("T", 1_000_000_000_000L),
                new Unit("G", 1_000_000_000L),
                new Unit("M", 1_000_000L));

        /** That many of the named unit: Mi, Gi, Ti of 1024, or M, G, T of 1000; null for another name. */
        public static @Nullable Amount of(long count, String unit) {
            return UNITS.stream()
                    .filter(each -> each.name.equals(unit))
                    .findFirst()
                    .map(each -> new Amount(new Memory(Math.multiplyExact(count, each.bytes))))
                    .orElse(null);
        }

        @Override
        public String toString() {
            // The largest unit of which it is a multiple needs the fewest digits, so the parser accepts them.
            return UNITS.stream()
                    .filter(unit -> memory.bytes() % unit.bytes == 0)
                    .min(Comparator.comparingLong(unit -> memory.bytes() / unit.bytes))
                    .map(unit -> memory.bytes() / unit.bytes + unit.name)
                    .orElseGet(() -> memory.bytes() + "B");
        }
    }

    /** Numbers separated by dots, compared from left to right; 8 and 8.0 are equal. */
    record Version(List<Integer> parts) implements FactValue {
        private static final Pattern LEADING = Pattern.compile("[0-9]{1,6}(\\.[0-9]{1,6}){0,3}");

        /** Drops trailing zeros, so that equal versions are equal records. */
        public Version {
            int size = parts.size();
            while (size > 1 && parts.get(size - 1) == 0) {
                size--;
            }
            parts = List.copyOf(parts.subList(0, size));
        }

        static Version of(int major, int minor) {
            return new Version(List.of(major, minor));
        }

        /** The version at the start of that text; null if it does not start with a number. */
        public static @Nullable Version leading(String text) {
            var matcher = LEADING.matcher(text);
            if (!matcher.lookingAt()) {
                return null;
            }
            List<Integer> parts = new ArrayList<>();
            for (String part : matcher.group().split("\\.")) {
                parts.add(Integer.parseInt(part));
            }
            return new Version(parts);
        }

        private int compare(Version other) {
            for (int i = 0; i < Math.max(parts.size(), other.parts.size()); i++) {
                int order = Integer.compare(part(i), other.part(i));
                if (order != 0) {
                    return order;
                }
            }
            return 0;
        }

        private int part(int i) {
            return i < parts.size() ? parts.get(i) : 0;
        }

        @Override
        public String toString() {
            return parts.stream().map(String::valueOf).collect(Collectors.joining("."));
        }
    }

    /** A whole number. */
    record Whole(int value) implements FactValue {
        @Override
        public String toString() {
            return String.valueOf(value);
        }
    }

    /** Yes or no. */
    record Flag(boolean value) implements FactValue {
        @Override
        public String toString() {
            return String.valueOf(value);
        }
    }

    /**
     * A model. It matches every product whose name contains it from the beginning of a word to the end of one. Case
     * does not matter, nor blanks, hyphens and underscores: {@code A100}, {@code A-100}, {@code a100sxm4} and {@code
     * NVIDIA_A100-SXM4} match {@code NVIDIA A100-SXM4-80GB}, and {@code A10} does not.
     *
     * @param words the words of the name in small letters, with a blank before and after each
     */
    record Model(String name, String words) implements FactValue {
        private static final Pattern SEPARATORS = Pattern.compile("[^\\p{Alnum}.+]+");

        public Model(String name) {
            this(name, SEPARATORS.matcher(" " + name + " ").replaceAll(" ").toLowerCase(Locale.ROOT));
        }

        /** Whether the product's name contains this one. */
        private boolean in(Model product) {
            String letters = words.replace(" ", "");
            for (int begin = product.words.indexOf(' '); begin >= 0; begin = product.words.indexOf(' ', begin + 1)) {
                int end = product.after(begin + 1, letters);
                if (end > 0 && product.words.startsWith(" ", end)) {
                    return true;
                }
            }
            return false;
        }

        /** The position after these letters, which are at that position but for blanks; -1 if others are there. */
        private int after(int position, String letters) {
            int at = position;
            for (int i = 0; i < letters.length(); i++, at++) {
                while (words.startsWith(" ", at)) {
                    at++;
                }
                if (!words.startsWith(letters.substring(i, i + 1), at)) {
                    return -1;
                }
            }
            return at;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** The profile of a MIG instance, in the driver's form or that of NVIDIA's resource names. */
    record Profile(String name) implements FactValue {
        @Override
        public String toString() {
            return name;
        }
    }

    /** A card's identity. */
    record Identity(CardId card) implements FactValue {
        @Override
        public String toString() {
            return card.toString();
        }
    }

    /** What holds containers to their share. */
    record Enforced(Isolation isolation) implements FactValue {

        @Override
        public String toString() {
            return isolation.toString();
        }
    }

    /** Whether this value of a condition matches the actual one. */
    default boolean matches(FactValue actual) {
        return switch (this) {
            case Model required -> actual instanceof Model model && required.in(model);
            case Identity(CardId required) ->
                actual instanceof Identity(CardId card) && card.uuid().equalsIgnoreCase(required.uuid());
            case Profile(String required) ->
                actual instanceof Profile(String profile)
                        && MigInstance.written(profile).equalsIgnoreCase(MigInstance.written(required));
            case Amount _, Version _, Whole _, Flag _, Enforced _ -> equals(actual);
        };
    }

    /** Whether the actual model, under the name that HAMi gives a card, contains this text. */
    default boolean partOf(FactValue actual) {
        return this instanceof Model(String part, String _)
                && actual instanceof Model(String model, String _)
                && ("NVIDIA-" + model).toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
    }

    /** Compares two values of one type that has an order. */
    default int compareWith(FactValue other) {
        if (this instanceof Amount(Memory one) && other instanceof Amount(Memory two)) {
            return one.compareTo(two);
        }
        if (this instanceof Version one && other instanceof Version two) {
            return one.compare(two);
        }
        if (this instanceof Whole(int one) && other instanceof Whole(int two)) {
            return Integer.compare(one, two);
        }
        throw new IllegalArgumentException(this + " and " + other + " can't be compared");
    }
}
