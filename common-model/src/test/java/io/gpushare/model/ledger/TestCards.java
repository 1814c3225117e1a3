package io.gpushare.model.ledger;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
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

    /** A MIG instance of the card {@code GPU-parent}. */
    static Card instance(String uuid, int index, String profile, int gib) {
        MigInstance instance = new MigInstance(new CardId("GPU-parent"), profile, index, 0, List.of());
        return new Card(
                new CardId(uuid),
                index,
                0,
                "NVIDIA H100 80GB HBM3",
                Memory.ofGib(gib),
                new Card.Details(null, null, null, true, instance));
    }

    static Demand instances(String profile, int number) {
        return new Demand(List.of(new ContainerDemand("main", ContainerRole.APP, Share.instances(number), profile)));
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
