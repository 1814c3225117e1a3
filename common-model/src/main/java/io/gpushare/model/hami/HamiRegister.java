package io.gpushare.model.hami;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import java.util.Objects;

/**
 * The node annotation {@value #KEY}: the cards of the node as HAMi 2.10 registers them ({@code
 * nvinternal/plugin/register.go}), for programs that show or schedule HAMi's pods by it.
 */
public final class HamiRegister {
    public static final String KEY = "hami.io/node-nvidia-register";

    private static final JsonMapper JSON = new JsonMapper();
    private static final String VENDOR = "NVIDIA";

    private HamiRegister() {}

    /** Whether the node's cards are registered: it offers slots. */
    public static boolean registers(Inventory inventory) {
        return inventory.beside().slots() > 0;
    }

    public static String encode(Inventory inventory) {
        ArrayNode cards = JSON.createArrayNode();
        for (Card card : inventory.cards()) {
            cards.addObject()
                    .put("id", card.id().uuid())
                    .put("index", card.index())
                    .put("count", inventory.beside().slots())
                    .put("devmem", card.offeredMemory().mib())
                    .put("devcore", inventory.beside().cores())
                    .put("type", card.model().startsWith(VENDOR) ? card.model() : VENDOR + "-" + card.model())
                    .put("numa", Objects.requireNonNullElse(card.details().numaNode(), 0))
                    .put("mode", "hami-core")
                    .put("health", card.health().healthy());
        }
        try {
            return JSON.writeValueAsString(cards);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
