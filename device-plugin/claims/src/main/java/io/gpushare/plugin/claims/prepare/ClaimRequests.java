package io.gpushare.plugin.claims.prepare;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.text.Printable;
import io.gpushare.plugin.node.container.ContainerEdits;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.container.RefusalKind;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.plugin.node.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the containers that use a request get, and what is in force before they start: as for a pod's container.
 *
 * @param cdi if it has the cards of a claim, its containers get them by name
 */
public record ClaimRequests(ContainerSettings settings, NodeIsolation isolation, NvidiaCdi cdi) {
    /** Those that would not limit a container without a share; MPS lets none compute that is not its client. */
    private static final Set<Isolation> UNLIMITED = Set.of(Isolation.DRIVER, Isolation.HAMI_CORE);

    /** The edits of the containers, by request. */
    Outcome<Map<String, ContainerEdits>> edits(
            ResourceClaim claim, Allocation allocation, Inventory now, Map<PodRef, List<ClaimUse>> uses) {
        ContainerSettings given = given(allocation.cards());
        Map<String, ContainerEdits> edits = new LinkedHashMap<>();
        for (ContainerAllocation request : allocation.containers()) {
            switch (edits(given, starting(claim, request), now, variables(claim, request.name(), uses))) {
                case Outcome.Of<ContainerEdits>(ContainerEdits each) -> edits.put(request.name(), each);
                case Outcome.Refused<ContainerEdits>(RefusalKind kind, String reason, Optional<PodRef> pod) -> {
                    return new Outcome.Refused<>(kind, reason, pod);
                }
            }
        }
        return new Outcome.Of<>(edits);
    }

    /**
     * The edits of the containers of a claim that only watches these cards, by request: all see all of its cards, and
     * have none of their memory.
     */
    Outcome<Map<String, ContainerEdits>> watching(ResourceClaim claim, Set<CardId> cards, Inventory now) {
        Optional<String> limited = now.cards().stream()
                .filter(card -> cards.contains(card.id()))
                .filter(card -> UNLIMITED.contains(card.isolation().inForce()))
                .findFirst()
                .map(card -> "card " + card.id() + " has the isolation "
                        + card.isolation().inForce() + ", which can't hold a container with administrative access to no"
                        + " memory: use the metrics of the device plugin there");
        if (limited.isPresent()) {
            return new Outcome.Refused<>(RefusalKind.NO_ISOLATION, limited.get());
        }
        Map<CardId, Share> visible = new LinkedHashMap<>();
        cards.forEach(card -> visible.put(card, card.whole()));
        ContainerAllocation all = new ContainerAllocation("watching", ContainerRole.APP, visible);
        return given(cards)
                .of(NodePod.unknown(starting(claim, all).pod()), all, now, ContainerIsolation.Settings.NONE)
                .then(edits -> new Outcome.Of<>(claim.results().stream()
                        .collect(Collectors.toMap(
                                ResourceClaim.Result::request, _ -> edits.onlyWatching(), (one, _) -> one))));
    }

    private ContainerSettings given(Set<CardId> cards) {
        return cdi.names(cards) ? settings.byName() : settings;
    }

    private static StartingContainer starting(ResourceClaim claim, ContainerAllocation request) {
        return new StartingContainer(new PodRef(claim.uid(), claim.namespace(), claim.name()), request);
    }

    /** The variables that containers with that request set themselves: the runtime would replace them. */
    private static Set<String> variables(ResourceClaim claim, String request, Map<PodRef, List<ClaimUse>> uses) {
        return uses.values().stream()
                .flatMap(List::stream)
                .filter(use -> use.includes(claim, request))
                .flatMap(use -> use.variables().stream())
                .collect(Collectors.toSet());
    }

    /** @param own the variables that count instead of the plugin's, but for those that limit the containers */
    private Outcome<ContainerEdits> edits(
            ContainerSettings given, StartingContainer request, Inventory now, Set<String> own) {
        return switch (isolation.of(request, now)) {
            case ContainerIsolation.Settings needed -> {
                own.removeAll(needed.environment().keySet());
                yield given.of(NodePod.unknown(request.pod()), request.allocation(), now, needed)
                        .then(edits -> new Outcome.Of<>(edits.without(own)));
            }
            case ContainerIsolation.Refused(String reason) -> new Outcome.Refused<>(RefusalKind.NO_ISOLATION, reason);
        };
    }

    /** Puts the isolation of each request into force; returns why its containers can't start, as a sentence. */
    Optional<String> enforce(ResourceClaim claim, Allocation allocation) {
        return allocation.containers().stream()
                .flatMap(request -> isolation
                        .enforce(starting(claim, request))
                        .map(problem ->
                                "claim " + claim + ", request " + Printable.quoted(request.name()) + ": " + problem)
                        .stream())
                .findFirst();
    }
}
