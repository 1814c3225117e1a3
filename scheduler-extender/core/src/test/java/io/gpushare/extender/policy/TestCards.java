package io.gpushare.extender.policy;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Nodes for tests, with cards of which a part is free. A unit is a MiB. */
public final class TestCards {
    private static final MemoryUnit UNIT = MemoryUnit.ofMib(1);
    private static final String MIG = " MIG ";

    private TestCards() {}

    /** A card with that many free units; unused if these are all of its units. */
    public record Free(CardKind kind, int units) {}

    public static Free card(CardKind kind, int freeUnits) {
        return new Free(kind, freeUnits);
    }

    public static Free unused(CardKind kind) {
        return new Free(kind, kind.units());
    }

    /** A node with these cards; their indices are their positions. */
    public static KnownNode node(String name, long cpuMilli, long memoryMib, List<Free> cards) {
        List<Card> inventory = new ArrayList<>();
        cards.forEach(free -> inventory.add(card(inventory.size(), free.kind())));
        NodeEntry node = NodeEntry.of(new Inventory(UNIT, null, inventory), new HostResources(cpuMilli, memoryMib));
        for (int i = 0; i < cards.size(); i++) {
            int taken = cards.get(i).kind().units() - cards.get(i).units();
            if (taken > 0) {
                PodRef pod = new PodRef("before-" + i, "default", "before-" + i);
                Map<CardId, Share> share = Map.of(inventory.get(i).id(), Share.memory(taken));
                node = node.with(
                        pod, new Allocation(UNIT, List.of(new ContainerAllocation("main", ContainerRole.APP, share))));
            }
        }
        return KnownNode.of(name, node);
    }

    /** The position of the card on its node. */
    public static int index(CardState card) {
        return card.card().index();
    }

    private static Card card(int index, CardKind kind) {
        Memory memory = Memory.ofMib(kind.units());
        CardId physical = new CardId("GPU-" + index);
        if (!kind.instance()) {
            return new Card(physical, index, index, kind.model(), memory, Card.Details.UNKNOWN);
        }
        int at = kind.model().lastIndexOf(MIG);
        MigInstance instance = new MigInstance(physical, kind.model().substring(at + MIG.length()), 0, 0, List.of());
        return new Card(
                new CardId("MIG-" + index),
                index,
                index,
                kind.model().substring(0, at),
                memory,
                new Card.Details(null, null, null, true, instance));
    }
}
