package io.gpushare.e2e.chaos.check;

import java.util.Set;

/**
 * One container's cards, from one source.
 *
 * @param uid its pod's
 * @param cards UUIDs
 */
record HeldCards(String uid, String pod, String container, ContainerRequest ask, Set<String> cards) {
    HeldCards {
        cards = Set.copyOf(cards);
    }

    String name() {
        return pod + "/" + container;
    }
}
