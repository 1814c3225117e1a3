package io.gpushare.e2e.chaos.check.pod;

import java.util.Set;

/**
 * The cards of one container according to one source.
 *
 * @param uid the uid of the container's pod
 * @param cards card UUIDs
 */
public record HeldCards(String uid, String pod, String container, ContainerRequest request, Set<String> cards) {
    public HeldCards {
        cards = Set.copyOf(cards);
    }

    public String name() {
        return pod + "/" + container;
    }
}
