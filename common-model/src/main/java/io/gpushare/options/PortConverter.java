package io.gpushare.options;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a TCP port; 0 stands for any free one. */
public final class PortConverter implements ITypeConverter<Integer> {
    private static final int LARGEST = 65_535;

    @Override
    public Integer convert(String text) {
        try {
            int port = Integer.parseInt(text);
            if (port >= 0 && port <= LARGEST) {
                return port;
            }
        } catch (NumberFormatException e) {
            // The sentence below covers it.
        }
        throw new TypeConversionException("'" + text + "' is not a port: write a number from 0 to " + LARGEST);
    }
}
