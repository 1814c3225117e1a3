package io.gpushare.model.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Inventory;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Inventories that no node has: whoever holds the token of one node can write them. */
class HostileInventoryTest {
    @Test
    void moreCardsThanAnyNodeHasAreRefusedWithWhatToDo() {
        assertThat(decode(2_200, false))
                .isEqualTo(new Decoded.Malformed<>("annotation gpushare.io/inventory: 'cards' has 2200 elements, and"
                        + " more than 256 are not accepted: find out what wrote them, and offer fewer on this node"));
        assertThat(decode(InventoryCodec.MOST_CARDS + 1, false)).isInstanceOf(Decoded.Malformed.class);
        assertThat(decode(1_200, true)).as("MIG instances").isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void asManyAsANodeMayHaveAreRead() {
        assertThat(decode(InventoryCodec.MOST_CARDS, false)
                        .valid()
                        .map(each -> each.cards().size()))
                .hasValue(InventoryCodec.MOST_CARDS);
        assertThat(decode(InventoryCodec.MOST_CARDS, true).valid()).isPresent();
    }

    private static Decoded<Inventory> decode(int cards, boolean instances) {
        return InventoryCodec.decode(Map.of(
                AnnotationKeys.INVENTORY,
                "{\"version\":1,\"unitMiB\":1024,\"cards\":["
                        + IntStream.range(0, cards)
                                .mapToObj(i -> card(i, instances))
                                .collect(Collectors.joining(","))
                        + "]}"));
    }

    private static String card(int index, boolean instance) {
        String profile = "\"profile\":\"1g.%1$dgb\",\"parent\":\"GPU-parent\",\"gi\":%1$d,\"ci\":0,".formatted(index);
        return "{%2$s\"uuid\":\"GPU-%1$d\",\"index\":%1$d,\"model\":\"model %1$d\",\"memoryMiB\":40960}"
                .formatted(index, instance ? profile : "");
    }
}
