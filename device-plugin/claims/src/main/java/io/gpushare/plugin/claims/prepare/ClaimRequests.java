package io.gpushare.plugin.claims.prepare;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
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
    /** The edits of the containers, by request. */
    Outcome<Map<String, ContainerEdits>> edits(
            ResourceClaim claim, Allocation allocation, Inventory now, Map<PodRef, List<ClaimUse>> uses) {
        ContainerSettings given = cdi.names(allocation.cards()) ? settings.byName() : settings;
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
