package io.gpushare.plugin.devices;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.Card;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.model.ledger.CardState;
import java.util.List;
import java.util.stream.IntStream;

/** A resource that the node offers to the kubelet. Every resource has a device list, a server and a socket of its own. */
public enum DeviceResource {
    /** Units of a card's memory. */
    MEMORY("gpushare-mem.sock", "units of GPU memory") {
        @Override
        public String name(ResourceNames names) {
            return names.memory();
        }

        @Override
        public int amount(ContainerDemand demand) {
            return demand.memoryUnits();
        }

        @Override
        int allocated(CardState card) {
            return card.sharedUnits();
        }

        @Override
        boolean excluded(CardState card) {
            return card.wholePods() > 0;
        }

        @Override
        List<String> ids(Card card, int units) {
            return IntStream.range(0, units)
                    .mapToObj(number -> new DeviceId.MemoryUnitOf(card.id(), number).toString())
                    .toList();
        }
    },
    /** Whole cards. */
    CARDS("gpushare-card.sock", "whole GPU cards") {
        @Override
        public String name(ResourceNames names) {
            return names.cards();
        }

        @Override
        public int amount(ContainerDemand demand) {
            return demand.cards();
        }

        @Override
        int allocated(CardState card) {
            return card.wholePods();
        }

        @Override
        boolean excluded(CardState card) {
            return card.sharedUnits() > 0;
        }

        @Override
        List<String> ids(Card card, int units) {
            return List.of(new DeviceId.WholeCard(card.id()).toString());
        }
    };

    private final String socket;
    private final String unit;

    DeviceResource(String socket, String unit) {
        this.socket = socket;
        this.unit = unit;
    }

    /** The file name of the resource's socket, in the kubelet's directory of device plugins. */
    public String socket() {
        return socket;
    }

    /** An amount of this resource, for messages. */
    public String text(int amount) {
        return amount + " " + unit;
    }

    /** The name of the resource in the cluster. */
    public abstract String name(ResourceNames names);

    /** The amount that the container requests. */
    public abstract int amount(ContainerDemand demand);

    /** The amount that is allocated on the card. */
    abstract int allocated(CardState card);

    /** Whether an allocation of another resource excludes this one on the card. */
    abstract boolean excluded(CardState card);

    /** The IDs of the card's devices, in the order of the list. */
    abstract List<String> ids(Card card, int units);
}
