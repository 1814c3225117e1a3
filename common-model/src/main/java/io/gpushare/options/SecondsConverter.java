package io.gpushare.options;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration of whole seconds, such as {@code 10s}; empty is null. */
public final class SecondsConverter implements ITypeConverter<@Nullable Duration> {
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,4})s");

    @Override
    public @Nullable Duration convert(String text) {
        if (text.isEmpty()) {
            return null;
        }
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is not a duration: write seconds, such as 10s");
        }
        return Duration.ofSeconds(Long.parseLong(matcher.group(1)));
    }
}
