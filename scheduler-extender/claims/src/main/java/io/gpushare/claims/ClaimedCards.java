package io.gpushare.claims;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.CardNames;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.claims.ResourceClaim.Result;
import io.gpushare.model.selector.CardSelector;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What kube-scheduler counts of a node's cards for claims, whether or not its driver serves them. Each request stands
 * for a container.
 */
record ClaimedCards(String node, Inventory inventory) {
    /** The cards of all these claims; empty if the node has none of them. */
    Optional<Allocation> of(List<KnownClaim> claims) {
        List<ContainerAllocation> all =
                claims.stream().flatMap(claim -> claim.cards(this).stream()).toList();
        if (all.isEmpty()) {
            return Optional.empty();
        }
        // The ledger has instances whole only where a pod has nothing else.
        boolean mixed =
                all.stream().anyMatch(ClaimedCards::instances) && !all.stream().allMatch(ClaimedCards::instances);
        return Optional.of(new Allocation(
                inventory.unit(),
                mixed
                        ? all.stream()
                                .map(each -> instances(each) ? asMemory(each.name(), each.visibleCards()) : each)
                                .toList()
                        : all));
    }

    private static boolean instances(ContainerAllocation container) {
        return container.total().instances() > 0;
    }

    /** Those of one claim. */
    List<ContainerAllocation> containers(ResourceClaim claim) {
        Map<String, CardId> present = new HashMap<>();
        inventory.cards().forEach(card -> CardNames.of(card.id()).ifPresent(name -> present.put(name, card.id())));
        List<Result> results = claim.results().stream()
                .filter(result -> result.pool().equals(node) && present.containsKey(result.device()))
                .toList();
        ResourceClaim here =
                new ResourceClaim(claim.uid(), claim.namespace(), claim.name(), List.of(), results, List.of());
        List<ContainerAllocation> decoded = new ClaimDecoder(ClaimDecoder.DRIVER, node)
                .decode(here, inventory)
                .valid()
                .map(Allocation::containers)
                .orElseGet(() -> allOf(results, present));
        // Names of requests are unique within a claim only.
        return decoded.stream()
                .map(each -> new ContainerAllocation(claim.name() + "/" + each.name(), each.role(), each.shares()))
                .toList();
    }

    /** Where the amounts can't be read, such as after a change of the node's unit, no card is free by a mistake. */
    private List<ContainerAllocation> allOf(List<Result> results, Map<String, CardId> present) {
        List<CardId> cards = results.stream()
                .map(result -> present.get(result.device()))
                .distinct()
                .toList();
        return cards.isEmpty() ? List.of() : List.of(asMemory("", cards));
    }

    /** All memory of these cards: for the ledger the same as the cards. */
    private ContainerAllocation asMemory(String name, Iterable<CardId> cards) {
        Map<CardId, Share> shares = new LinkedHashMap<>();
        cards.forEach(card -> shares.put(card, Share.memory(Math.max(1, units(card)))));
        return new ContainerAllocation(name, ContainerRole.APP, shares);
    }

    private int units(CardId card) {
        Optional<Card> found = inventory.card(card);
        return found.map(inventory::capacityOf).map(Share::units).orElse(0);
    }

    /** The demand that the allocation meets. */
    static Demand demand(Allocation allocation) {
        List<ContainerAllocation> containers = allocation.containers();
        int cards = containers.getFirst().shares().size();
        boolean even = containers.stream()
                .allMatch(each -> each.shares().size() == cards
                        && each.total().hasPart()
                        && !each.total().hasPercents()
                        && each.total().divisibleBy(cards));
        return new Demand(
                        containers.stream()
                                .map(each -> new ContainerDemand(each.name(), each.role(), each.total()))
                                .toList(),
                        even ? cards : 1,
                        CardSelector.ANY)
                .claimed();
    }
}
