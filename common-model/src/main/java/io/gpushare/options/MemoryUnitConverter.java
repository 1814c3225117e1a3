package io.gpushare.options;

import io.gpushare.model.card.MemoryUnit;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a memory unit. */
final class MemoryUnitConverter implements ITypeConverter<MemoryUnit> {
    @Override
    public MemoryUnit convert(String value) {
        try {
            return MemoryUnit.parse(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
