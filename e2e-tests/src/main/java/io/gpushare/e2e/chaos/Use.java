package io.gpushare.e2e.chaos;

import java.util.Set;

/**
 * One container's use of cards, as somebody tells it.
 *
 * @param uid its pod's
 * @param cards UUIDs
 */
record Use(String uid, String pod, String container, Ask ask, Set<String> cards) {
    Use {
        cards = Set.copyOf(cards);
    }

    String name() {
        return pod + "/" + container;
    }
}
