package io.gpushare.simulation.trace;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import java.util.ArrayList;
import java.util.List;

/** Nodes with cards of given kinds, as a device plugin would report them. A unit is a MiB. */
public final class TraceNodes {
    private static final MemoryUnit UNIT = MemoryUnit.ofMib(1);

    private TraceNodes() {}

    /**
     * An empty node with these cards.
     *
     * @param salt 0; another number gives the nodes another order
     */
    public static KnownNode node(String name, long salt, HostResources host, List<CardKind> kinds) {
        List<Card> cards = new ArrayList<>();
        kinds.forEach(kind -> cards.add(card(cards.size(), kind)));
        return KnownNode.of(name, salt, NodeEntry.of(new Inventory(UNIT, null, cards), host));
    }

    private static Card card(int index, CardKind kind) {
        Memory memory = Memory.ofMib(kind.units());
        CardId physical = new CardId("GPU-" + index);
        String profile = MigProfile.profile(kind.model());
        if (!kind.instance()) {
            return new Card(physical, index, index, kind.model(), memory, Card.Details.UNKNOWN);
        }
        MigInstance instance = new MigInstance(physical, profile, 0, 0, List.of());
        return new Card(
                new CardId("MIG-" + index),
                index,
                index,
                MigProfile.model(kind.model()),
                memory,
                new Card.Details(null, null, null, true, instance));
    }
}
