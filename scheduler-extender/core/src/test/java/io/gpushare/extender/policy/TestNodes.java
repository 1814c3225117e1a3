package io.gpushare.extender.policy;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Random clusters and pods. */
public final class TestNodes {
    private static final List<CardKind> KINDS = List.of(
            new CardKind("T4", 15),
            new CardKind("V100", 16),
            new CardKind("V100", 32),
            new CardKind("A100", 4000),
            CardKind.instance("A100 MIG 3g.20gb", 2000),
            CardKind.instance("A100 MIG 1g.5gb", 500));

    private TestNodes() {}

    /** One to six nodes with up to five unused cards. */
    public static List<KnownNode> cluster(Random random) {
        List<KnownNode> nodes = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            List<TestCards.Free> cards = new ArrayList<>();
            CardKind common = KINDS.get(random.nextInt(KINDS.size()));
            int size = random.nextInt(6);
            for (int card = 0; card < size; card++) {
                cards.add(TestCards.unused(random.nextInt(4) == 0 ? KINDS.get(random.nextInt(KINDS.size())) : common));
            }
            nodes.add(TestCards.node("node-" + i, 1000L * (1 + random.nextInt(64)), 1L << random.nextInt(18), cards));
        }
        return nodes;
    }

    public static PodRequest pod(Random random) {
        if (random.nextInt(5) == 0) {
            Set<String> profile = random.nextBoolean() ? Set.of("A100 MIG 1g.5gb") : Set.of();
            return new PodRequest(500L * random.nextInt(10), 0, Share.INSTANCE, 0, profile);
        }
        int units = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(random.nextInt(8) == 0 ? 3000 : 20);
        int cards = units == 0 || random.nextInt(8) == 0 ? random.nextInt(4) : 0;
        Set<String> models = switch (random.nextInt(5)) {
            case 0 -> Set.of("V100");
            case 1 -> Set.of("A100", "T4", "unknown");
            default -> Set.of();
        };
        return new PodRequest(500L * random.nextInt(10), 200L * random.nextInt(10), units, cards, models);
    }
}
