package io.gpushare.insight.routes;

import io.gpushare.insight.view.SortBy;
import io.vertx.core.MultiMap;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The parameters of a request for the view. A value that can't be used is refused with a sentence. */
record ViewParameters(MultiMap values) {
    /** The form of a text. */
    enum Output {
        TEXT,
        WIDE,
        JSON,
        YAML,
        /** Of what is wasted only. */
        CSV
    }

    String text(String name, String absent) {
        @Nullable String value = values.get(name);
        return value == null || value.isEmpty() ? absent : value;
    }

    boolean has(String name) {
        return !text(name, "").isEmpty();
    }

    int number(String name, int absent, int largest) throws RefusedException {
        String value = text(name, String.valueOf(absent));
        try {
            int number = Integer.parseInt(value);
            if (number >= 0) {
                return Math.min(number, largest);
            }
        } catch (NumberFormatException e) {
            // The error below covers it.
        }
        throw new RefusedException(400, "'" + name + "' is not a number from 0 up: " + value);
    }

    /** Names with commas between them. */
    List<String> names(String parameter, int most) throws RefusedException {
        List<String> names = Stream.of(text(parameter, "").split(","))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
        if (names.size() > most) {
            throw new RefusedException(
                    400, "name at most " + most + " nodes in '" + parameter + "', with commas between");
        }
        return names;
    }

    Output output() throws RefusedException {
        return of(Output.values(), "output", Output.TEXT);
    }

    SortBy sortBy() throws RefusedException {
        return of(SortBy.values(), "sort-by", SortBy.NAME);
    }

    private <T extends Enum<T>> T of(T[] all, String parameter, T absent) throws RefusedException {
        String value = text(parameter, word(absent));
        for (T each : all) {
            if (word(each).equals(value)) {
                return each;
            }
        }
        throw new RefusedException(
                400,
                "'" + parameter + "' is one of "
                        + Arrays.stream(all).map(ViewParameters::word).collect(Collectors.joining(", ")) + ", not "
                        + value);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
