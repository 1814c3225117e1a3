package io.gpushare.plugin.claims.prepare;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.plugin.node.container.ContainerEdits;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds containers that use several requests with cards. Each request has its own variables, of which the runtime would
 * keep the last: such a container would silently see one card.
 */
final class SeveralRequests {
    /** Of the other claims of its pods' containers, so many are read: a tenant may name any number. */
    private static final int MOST_OTHERS = 8;

    private final ClaimReader reader;
    private final String driver;
    private final Set<String> withoutCards = new HashSet<>();

    SeveralRequests(ClaimReader reader, String driver) {
        this.reader = reader;
        this.driver = driver;
    }

    /**
     * Why that claim can't be prepared, as a sentence.
     *
     * @param edits of the containers, by request
     * @param uses of the claims, by pod
     */
    Optional<String> problem(ResourceClaim claim, Map<String, ContainerEdits> edits, Map<PodRef, List<ClaimUse>> uses)
            throws KubernetesException {
        for (Map.Entry<PodRef, List<ClaimUse>> pod : uses.entrySet()) {
            Map<String, List<ClaimUse>> containers =
                    pod.getValue().stream().collect(Collectors.groupingBy(ClaimUse::container));
            for (Map.Entry<String, List<ClaimUse>> container : containers.entrySet()) {
                Optional<String> problem = ofContainer(container.getValue(), claim, edits);
                if (problem.isPresent()) {
                    return Optional.of("claim " + claim + ": container '" + container.getKey() + "' of pod "
                            + pod.getKey() + problem.get());
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> ofContainer(List<ClaimUse> uses, ResourceClaim claim, Map<String, ContainerEdits> edits)
            throws KubernetesException {
        Set<Map<String, String>> environments = edits.entrySet().stream()
                .filter(request -> uses.stream().anyMatch(use -> use.includes(claim, request.getKey())))
                .map(request -> request.getValue().environment())
                .collect(Collectors.toSet());
        if (environments.size() > 1) {
            return Optional.of(" uses several requests with cards, whose variables exclude each other: write one"
                    + " request with a count, or name the request in resources.claims of each container");
        }
        Set<String> others = uses.stream().map(ClaimUse::claim).collect(Collectors.toCollection(TreeSet::new));
        others.removeAll(Set.of(claim.name(), ""));
        others.removeAll(withoutCards);
        for (String other : environments.isEmpty() ? Set.<String>of() : others) {
            if (withoutCards.size() == MOST_OTHERS) {
                return Optional.of(" is one of those that use more than " + MOST_OTHERS
                        + " other claims, of which no more are read: use fewer in a pod with cards");
            }
            if (reader.claim(claim.namespace(), other)
                    .filter(each -> each.results().stream()
                            .anyMatch(result -> result.driver().equals(driver)))
                    .isPresent()) {
                return Optional.of(" uses claim " + claim.namespace() + "/" + other
                        + " as well, whose variables exclude those of this one: write one claim with one request and"
                        + " a count");
            }
            withoutCards.add(other);
        }
        return Optional.empty();
    }
}
