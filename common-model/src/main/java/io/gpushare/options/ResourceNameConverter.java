package io.gpushare.options;

import io.gpushare.model.codec.ResourceNames;
import picocli.CommandLine.ITypeConverter;

/** Reads the name of an extended resource, such as {@code aliyun.com/gpu-mem}. */
public final class ResourceNameConverter implements ITypeConverter<String> {
    private static final ITypeConverter<String> CHECKED = OptionParser.converter(ResourceNames::checked);

    @Override
    public String convert(String text) throws Exception {
        return CHECKED.convert(text);
    }
}
