package io.gpushare.options;

import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a namespaced object or a namespace. */
public final class NameConverter implements ITypeConverter<String> {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?");

    @Override
    public String convert(String text) {
        if (!NAME.matcher(text).matches()) {
            throw new TypeConversionException(
                    "'" + text + "' is not a Kubernetes name: write lower-case letters, digits, '-' and '.'");
        }
        return text;
    }
}
