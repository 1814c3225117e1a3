package io.gpushare.mps.link;

import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The fields of a file; one that is missing or malformed has its default, so that versions may differ by a field. */
record Fields(Properties properties) {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    String text(String key) {
        @Nullable String value = properties.getProperty(key);
        return value == null ? "" : value;
    }

    long number(String key) {
        String value = text(key);
        return NUMBER.matcher(value).matches() ? Long.parseLong(value) : 0;
    }

    boolean flag(String key) {
        return text(key).equals("true");
    }

    List<Long> numbers(String key) {
        return Arrays.stream(text(key).split(" ", -1))
                .filter(each -> NUMBER.matcher(each).matches())
                .map(Long::parseLong)
                .toList();
    }
}
