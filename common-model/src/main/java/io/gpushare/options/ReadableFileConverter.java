package io.gpushare.options;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the path of a file that exists and can be read; empty is null. */
public final class ReadableFileConverter implements ITypeConverter<@Nullable Path> {
    @Override
    public @Nullable Path convert(String text) {
        if (text.isEmpty()) {
            return null;
        }
        Path file = Path.of(text);
        if (!Files.isReadable(file)) {
            throw new TypeConversionException("file " + text + " does not exist or can't be read");
        }
        return file;
    }
}
