package io.gpushare.plugin.claims.prepare;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.codec.Decoded;
import io.gpushare.plugin.node.container.ContainerEdits;
import io.gpushare.plugin.node.container.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds containers that use several requests with cards which do not add up: of two requests with variables, the
 * runtime would keep those of the last, and such a container would silently see one card.
 */
final class SeveralRequests {
    /** Of the other claims of its pods' containers, so many are read: a tenant may name any number. */
    private static final int MOST_OTHERS = 8;

    private static final String ADVICE = ", and the variables of one replace those of the other: let each container,"
            + " also each init container, use one request. Only whole cards add up, on nodes where containers get them"
            + " by name (CDI)";

    private final ClaimReader reader;
    private final ClaimDecoder decoder;
    private final ClaimRequests requests;
    private final Inventory now;
    private final Map<String, Other> others = new HashMap<>();

    /**
     * Another claim.
     *
     * @param cards whether it has any of this driver
     * @param edits by request; none if they are unknown
     */
    private record Other(Optional<ResourceClaim> claim, boolean cards, Map<String, ContainerEdits> edits) {
        boolean addsUp(List<ClaimUse> uses) {
            return !edits.isEmpty()
                    && claim.stream()
                            .allMatch(known -> edits.entrySet().stream()
                                    .filter(request ->
                                            uses.stream().anyMatch(use -> use.includes(known, request.getKey())))
                                    .allMatch(request -> request.getValue().addsUp()));
        }
    }

    SeveralRequests(ClaimReader reader, ClaimDecoder decoder, ClaimRequests requests, Inventory now) {
        this.reader = reader;
        this.decoder = decoder;
        this.requests = requests;
        this.now = now;
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
        List<ContainerEdits> own = edits.entrySet().stream()
                .filter(request -> uses.stream().anyMatch(use -> use.includes(claim, request.getKey())))
                .map(Map.Entry::getValue)
                .toList();
        // Equal shares have equal variables, and the limit of one of them.
        if (own.size() > 1 && !own.stream().allMatch(ContainerEdits::addsUp)) {
            return Optional.of(" uses several requests with cards" + ADVICE);
        }
        Set<String> names = uses.stream().map(ClaimUse::claim).collect(Collectors.toCollection(TreeSet::new));
        names.removeAll(Set.of(claim.name(), ""));
        for (String name : own.isEmpty() ? Set.<String>of() : names) {
            if (!others.containsKey(name) && others.size() == MOST_OTHERS) {
                return Optional.of(" is one of those that use more than " + MOST_OTHERS
                        + " other claims, of which no more are read: use fewer in a pod with cards");
            }
            Other other = others.containsKey(name) ? others.get(name) : read(claim.namespace(), name);
            others.put(name, other);
            if (other.cards() && !(own.stream().allMatch(ContainerEdits::addsUp) && other.addsUp(uses))) {
                return Optional.of(" uses claim " + claim.namespace() + "/" + name + " as well" + ADVICE);
            }
        }
        return Optional.empty();
    }

    private boolean concerned(ResourceClaim claim) {
        return claim.results().stream().anyMatch(result -> result.driver().equals(decoder.driver()));
    }

    private Other read(String namespace, String name) throws KubernetesException {
        Optional<ResourceClaim> claim = reader.claim(namespace, name);
        if (claim.isEmpty()) {
            return new Other(claim, false, Map.of());
        }
        return switch (decoder.decode(claim.get(), now)) {
            // It may watch cards.
            case Decoded.Absent<Allocation> _ -> new Other(claim, concerned(claim.get()), Map.of());
            case Decoded.Malformed<Allocation> _ -> new Other(claim, true, Map.of());
            case Decoded.Valid<Allocation>(Allocation allocation) ->
                new Other(
                        claim,
                        true,
                        switch (requests.edits(claim.get(), allocation, now, Map.of())) {
                            case Outcome.Of<Map<String, ContainerEdits>>(var known) -> known;
                            case Outcome.Refused<Map<String, ContainerEdits>> _ -> Map.of();
                        });
        };
    }
}
