package io.gpushare.plugin.node.usage;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Usages for tests. */
public final class TestUsages {
    private TestUsages() {}

    /** A card of which the driver reports its processes only. */
    public static CardUtilization of(List<CardProcess> processes) {
        return new CardUtilization(
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.of(processes));
    }
}
