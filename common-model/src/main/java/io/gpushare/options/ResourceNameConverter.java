package io.gpushare.options;

import io.gpushare.model.request.ResourceNames;
import picocli.CommandLine.ITypeConverter;

/** Reads the name of an extended resource, such as {@code aliyun.com/gpu-mem}; empty text is none. */
public final class ResourceNameConverter implements ITypeConverter<String> {
    private static final ITypeConverter<String> CHECKED =
            OptionParser.converter(text -> text.isEmpty() ? text : ResourceNames.checked(text));

    @Override
    public String convert(String text) throws Exception {
        return CHECKED.convert(text.strip());
    }
}
