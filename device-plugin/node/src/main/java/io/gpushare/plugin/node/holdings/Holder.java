package io.gpushare.plugin.node.holdings;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A pod or a claim, and what it has of which cards.
 *
 * @param offer by which it got its cards
 * @param ref the pod, or the claim
 * @param allocation the share of each part on each card: a part is a container of the pod, or a request of the claim;
 *     empty if its shares are unknown
 * @param users the containers that use each part, by its name; a part without any is used by a container of that name
 * @param kept the cards that it has by records which no user can write, and keeps from the other offer
 */
public record Holder(
        Offer offer, PodRef ref, Optional<Allocation> allocation, Map<String, List<User>> users, Set<CardId> kept) {
    /** A container that uses a part of what a holder has. */
    public record User(PodRef pod, String container, ContainerRole role) {
        public User(PodRef pod, String container) {
            this(pod, container, ContainerRole.APP);
        }

        /** Whether both may run at the same time. */
        public boolean beside(User other) {
            return !pod.equals(other.pod) || role.beside(other.role);
        }
    }

    public Holder {
        users = users.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, part -> List.copyOf(part.getValue())));
        kept = Set.copyOf(kept);
    }

    /** A pod, each of whose containers uses its own part. */
    public static Holder pod(PodRef pod, Allocation allocation) {
        return new Holder(Offer.DEVICE_PLUGIN, pod, Optional.of(allocation), Map.of(), allocation.cards());
    }

    /** Whether it is a pod, and not a claim. */
    public boolean isPod() {
        return offer == Offer.DEVICE_PLUGIN;
    }

    /** What it is and its name, for messages. */
    public String name() {
        return (isPod() ? "pod " : "claim ") + ref;
    }

    /** The containers that use that part; one at least. */
    public List<User> users(String part) {
        List<User> known = users.getOrDefault(part, List.of());
        return known.isEmpty() ? List.of(new User(ref, part)) : known;
    }

    /** The pods that use any part: several may use a claim. */
    public Set<PodRef> pods() {
        return allocation.stream()
                .flatMap(all -> all.containers().stream())
                .flatMap(part -> users(part.name()).stream())
                .map(User::pod)
                .collect(Collectors.toSet());
    }
}
