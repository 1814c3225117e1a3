package io.gpushare.model;

import java.util.Objects;

/** What one container asks for: memory units, or whole cards, never both. */
public record ContainerDemand(String name, ContainerRole role, int memoryUnits, int cards) {
    public ContainerDemand {
        Objects.requireNonNull(name);
        Objects.requireNonNull(role);
        if (memoryUnits < 0 || cards < 0 || (memoryUnits > 0) == (cards > 0)) {
            throw new IllegalArgumentException("container '" + name + "' must ask for memory units or for whole cards");
        }
    }
}
