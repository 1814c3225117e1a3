package io.gpushare.model.claims;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The names of cards in slices and claims: the UUID in small letters, because the API wants DNS labels. */
public final class CardNames {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private CardNames() {}

    /** The name of that card; empty for a UUID that is none, which no driver gives. */
    public static Optional<String> of(CardId card) {
        return Optional.of(card.uuid().toLowerCase(Locale.ROOT))
                .filter(name -> LABEL.matcher(name).matches());
    }

    /** The cards of the node by their names, in the inventory's order. Of two with one name it is the first. */
    static Map<String, Card> in(Inventory inventory) {
        Map<String, Card> named = new LinkedHashMap<>();
        inventory.cards().forEach(card -> of(card.id()).ifPresent(name -> named.putIfAbsent(name, card)));
        return named;
    }
}
