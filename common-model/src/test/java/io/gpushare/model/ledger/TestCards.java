package io.gpushare.model.ledger;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.util.ArrayList;
import java.util.List;

/** Nodes, pods and demands for tests. */
final class TestCards {
    private TestCards() {}

    /** A node with cards of that many GiB. */
    static Inventory node(int... gib) {
        List<Card> cards = new ArrayList<>();
        for (int i = 0; i < gib.length; i++) {
            cards.add(Card.of("GPU-" + i, i, Memory.ofGib(gib[i])));
        }
        return new Inventory(MemoryUnit.GIB, null, cards);
    }

    static Demand memory(int units) {
        return new Demand(List.of(new ContainerDemand("main", ContainerRole.APP, Share.memory(units))));
    }

    static Demand whole(int cards) {
        return new Demand(List.of(new ContainerDemand("main", ContainerRole.APP, Share.whole(cards))));
    }

    static PodRef pod(String uid) {
        return new PodRef(uid, "default", "pod-" + uid);
    }
}
