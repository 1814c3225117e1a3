package io.gpushare.model.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CordonCodecTest {
    private static final CardId A = new CardId("GPU-a");
    private static final Inventory NODE =
            new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))));

    @Test
    void commasSeparateUuids() {
        assertThat(cordon("GPU-a, GPU-b")).isEqualTo(new CordonCodec(Set.of(A, new CardId("GPU-b")), List.of()));
        assertThat(CordonCodec.decode(Map.of())).isEqualTo(cordon("")).isEqualTo(new CordonCodec(Set.of(), List.of()));
    }

    @Test
    void anInvalidPartIsReportedAndTheOthersAreValid() {
        CordonCodec cordon = cordon("GPU-a,0,,GPU-a");
        assertThat(cordon.cards()).containsExactly(A);
        assertThat(cordon.complaints()).hasSize(2).allMatch(text -> text.contains("gpushare.io/cordon"));
    }

    @Test
    void aCordonedCardAcceptsNoPodsAndStaysCordonedInTheAnnotation() {
        Inventory cordoned = NODE.withCordoned(Set.of(A));
        assertThat(NodeCards.of(cordoned).cards().getFirst().free()).isEqualTo(Share.NONE);
        assertThat(NodeCards.of(cordoned)
                        .place(new Demand(List.of(new ContainerDemand("main", ContainerRole.APP, Share.memory(1))))))
                .isInstanceOf(Placement.Refused.class);
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(cordoned))))
                .isEqualTo(new Decoded.Valid<>(cordoned));
        assertThat(cordoned.withCordoned(Set.of())).isEqualTo(NODE);
    }

    private static CordonCodec cordon(String written) {
        return CordonCodec.decode(Map.of(AnnotationKeys.CORDON, written));
    }
}
