package io.gpushare.plugin.node.usage;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.Holder.User;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.usage.NodeUsage.ContainerOnCard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The share of one card that one container has. Containers that use one request of a claim, also those of several pods,
 * have one share together.
 *
 * @param units 0 if the container has the whole card
 * @param podMemory what all containers of its pod may use there at one time
 * @param podLimit the same where each pod is limited by itself: what several pods have together is the first one's, and
 *     the others have 0 of it
 * @param together the containers that have this share together; usually this one alone
 */
public record ContainerShare(
        PodRef pod,
        String container,
        Card card,
        int units,
        Memory memory,
        Memory podMemory,
        Memory podLimit,
        Set<ContainerOnCard> together) {
    /** A part of what a holder has, and the containers that have it. */
    private record Part(Holder holder, Allocation all, ContainerAllocation allocation, List<User> users) {}

    /** A pod on one card. */
    private record PodOnCard(PodRef pod, CardId card) {}

    /** The units of claims that each pod has: those that its containers use, and those that are not another pod's. */
    private record ClaimUnits(Map<PodOnCard, Integer> used, Map<PodOnCard, Integer> own) {
        static ClaimUnits of(List<Part> parts) {
            ClaimUnits all = new ClaimUnits(new HashMap<>(), new HashMap<>());
            for (Part part : parts) {
                for (CardId card : part.holder().isPod()
                        ? List.<CardId>of()
                        : part.allocation().visibleCards()) {
                    int units = part.allocation().on(card).units();
                    part.users().stream()
                            .map(user -> new PodOnCard(user.pod(), card))
                            .distinct()
                            .forEach(pod -> all.used.merge(pod, units, Integer::sum));
                    all.own.merge(new PodOnCard(part.users().getFirst().pod(), card), units, Integer::sum);
                }
            }
            return all;
        }
    }

    public ContainerShare {
        together = Set.copyOf(together);
    }

    /** The share of one container alone. */
    public ContainerShare(PodRef pod, String container, Card card, int units, Memory memory, Memory podMemory) {
        this(
                pod,
                container,
                card,
                units,
                memory,
                podMemory,
                podMemory,
                Set.of(new ContainerOnCard(pod.uid(), container, card.id())));
    }

    /** Whether the container has the whole card: then it can't exceed its share. */
    public boolean whole() {
        return units == 0;
    }

    /** The container on its card. */
    public ContainerOnCard key() {
        return new ContainerOnCard(pod.uid(), container, card.id());
    }

    /** The shares of all containers on the node. */
    public static List<ContainerShare> of(Holdings holdings) {
        List<Part> parts = new ArrayList<>();
        for (Holder holder : holdings.holders()) {
            holder.allocation()
                    .ifPresent(all -> all.containers()
                            .forEach(part -> parts.add(new Part(holder, all, part, holder.users(part.name())))));
        }
        ClaimUnits ofClaims = ClaimUnits.of(parts);
        List<ContainerShare> all = new ArrayList<>();
        for (Part part : parts) {
            for (CardId id : part.allocation().visibleCards()) {
                Set<ContainerOnCard> together = part.users().stream()
                        .map(user -> new ContainerOnCard(user.pod().uid(), user.container(), id))
                        .collect(Collectors.toUnmodifiableSet());
                holdings.inventory()
                        .card(id)
                        .ifPresent(card ->
                                part.users().forEach(user -> all.add(of(part, user, card, ofClaims, together))));
            }
        }
        return all;
    }

    private static ContainerShare of(
            Part part, User user, Card card, ClaimUnits ofClaims, Set<ContainerOnCard> together) {
        Allocation allocation = part.all();
        int units = part.allocation().on(card.id()).units();
        PodOnCard pod = new PodOnCard(user.pod(), card.id());
        int ofPod = allocation.shareOn(card.id()).units();
        int podUnits = part.holder().isPod() ? ofPod : ofClaims.used().getOrDefault(pod, 0);
        int podLimit = part.holder().isPod() ? ofPod : ofClaims.own().getOrDefault(pod, 0);
        return new ContainerShare(
                user.pod(),
                user.container(),
                card,
                units,
                units == 0 ? card.memory() : memory(units, allocation, card),
                units == 0 ? card.memory() : memory(podUnits, allocation, card),
                units == 0 ? card.memory() : memory(podLimit, allocation, card),
                together);
    }

    /** At most the card's memory: the unit comes from an annotation, which users can edit. */
    private static Memory memory(int units, Allocation allocation, Card card) {
        long unit = allocation.unit().size().bytes();
        long most = card.hasMemory() ? card.memory().bytes() : Long.MAX_VALUE;
        return new Memory(units > most / unit ? most : units * unit);
    }
}
