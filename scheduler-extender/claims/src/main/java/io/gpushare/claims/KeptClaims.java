package io.gpushare.claims;

import io.gpushare.model.claims.ResourceClaim;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Finds claims that keep cards for pods which are gone. kube-controller-manager frees a claim when its last pod has
 * ended. It misses that where a pod is replaced under its name, as a StatefulSet does, while its watch is interrupted:
 * then no deletion is reported to it, and it does not compare UIDs (pkg/controller/resourceclaim/controller.go, seen on
 * 1.36.3 after a restart of the API server). It looks again when the claim changes, or when it starts again.
 */
final class KeptClaims {
    /** kube-controller-manager takes seconds, and minutes when it is far behind. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final int MOST_NAMED = 3;

    private final Map<String, Long> since = new HashMap<>(); // by the UID of the claim

    /**
     * What to say of each node, by its name.
     *
     * @param withoutPods the claims with cards all of whose pods are gone, in one look at the cluster
     * @param nanos of a steady clock
     */
    Map<String, String> look(Collection<ResourceClaim> withoutPods, long nanos) {
        Set<String> present = new HashSet<>();
        withoutPods.forEach(claim -> {
            present.add(claim.uid());
            since.putIfAbsent(claim.uid(), nanos);
        });
        since.keySet().retainAll(present);
        Map<String, List<ResourceClaim>> kept = withoutPods.stream()
                .filter(claim -> nanos - since.getOrDefault(claim.uid(), nanos) >= PATIENCE.toNanos())
                .sorted(Comparator.comparing(ResourceClaim::toString))
                .collect(Collectors.groupingBy(
                        claim -> claim.results().getFirst().pool(), TreeMap::new, Collectors.toList()));
        Map<String, String> sentences = new TreeMap<>();
        kept.forEach((node, claims) -> sentences.put(node, sentence(claims)));
        return sentences;
    }

    private static String sentence(List<ResourceClaim> claims) {
        ResourceClaim first = claims.getFirst();
        String names =
                claims.stream().limit(MOST_NAMED).map(ResourceClaim::toString).collect(Collectors.joining(", "));
        int more = claims.size() - MOST_NAMED;
        return "Claims keep cards for pods that are gone: " + names + (more > 0 ? " and " + more + " more" : "")
                + ". kube-controller-manager has not freed them. It looks again when a claim changes: kubectl annotate"
                + " --namespace=" + first.namespace() + " resourceclaim " + first.name()
                + " gpushare.io/look-again=now";
    }
}
