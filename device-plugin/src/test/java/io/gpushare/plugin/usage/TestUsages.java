package io.gpushare.plugin.usage;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Usages for tests. */
public final class TestUsages {
    private TestUsages() {}

    /** A card of which the driver reports its processes only. */
    public static CardUsage of(List<CardUsage.GpuProcess> processes) {
        return new CardUsage(
                0,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.of(processes));
    }
}
