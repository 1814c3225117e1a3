package io.gpushare.plugin.devices;

import io.gpushare.model.ContainerDemand;

/** The two resources that a node offers. */
public enum DeviceResource {
    /** Units of a card's memory. */
    MEMORY,
    /** Whole cards. */
    CARDS;

    /** How much of this resource the container asks for. */
    public int amount(ContainerDemand demand) {
        return switch (this) {
            case MEMORY -> demand.memoryUnits();
            case CARDS -> demand.cards();
        };
    }
}
