package io.gpushare.options;

import io.gpushare.model.codec.ResourceNames;
import picocli.CommandLine.ITypeConverter;

/** Reads the name of an extended resource that a cluster may do without; empty text is none. */
public final class OptionalResourceNameConverter implements ITypeConverter<String> {
    private static final ITypeConverter<String> CHECKED =
            OptionParser.converter(text -> text.isEmpty() ? text : ResourceNames.checked(text));

    @Override
    public String convert(String text) throws Exception {
        return CHECKED.convert(text);
    }
}
