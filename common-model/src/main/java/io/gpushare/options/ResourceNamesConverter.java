package io.gpushare.options;

import io.gpushare.model.codec.ResourceNames;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.ITypeConverter;

/** Checks the names of several extended resources, separated by commas; empty text contains none. */
public final class ResourceNamesConverter implements ITypeConverter<String> {
    private static final ITypeConverter<String> CHECKED = OptionParser.converter(text -> {
        names(text).forEach(ResourceNames::checked);
        return text;
    });

    @Override
    public String convert(String text) throws Exception {
        return CHECKED.convert(text);
    }

    static Set<String> names(String text) {
        return text.isBlank() ? Set.of() : new TreeSet<>(List.of(text.strip().split("\\s*,\\s*", -1)));
    }
}
