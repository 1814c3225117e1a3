package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.pod.ClaimView;
import io.gpushare.e2e.chaos.check.pod.HeldCards;
import io.gpushare.e2e.chaos.check.pod.PodView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of the cluster at about one moment, from all sources.
 *
 * @param at the time at which reading began
 * @param pods the pods in the API server; empty while it does not respond
 * @param running the cards that each running container sees, from the environment of its process
 * @param listed the cards of the devices that a kubelet has allocated, by node and {@code <pod>/<container>}; without
 *     the nodes whose kubelet does not respond
 * @param edited the uids of the pods whose annotations a tenant edited
 * @param claims the claims in the API server
 * @param kept what was deleted by force while a container could not be killed
 * @param prepared the cards of the claims that are prepared on a node, from their files; the uid is the claim's
 */
public record Snapshot(
        Duration at,
        Optional<List<PodView>> pods,
        List<HeldCards> running,
        Map<String, Map<String, Set<String>>> listed,
        Set<String> edited,
        Kept kept,
        List<ClaimView> claims,
        List<HeldCards> prepared) {
    /**
     * The pods that the API server no longer has, and whose containers keep their cards.
     *
     * @param pods their uids
     * @param byClaims those of them that have claims
     */
    public record Kept(Set<String> pods, Set<String> byClaims) {
        static final Kept NOTHING = new Kept(Set.of(), Set.of());

        public Kept {
            pods = Set.copyOf(pods);
            byClaims = Set.copyOf(byClaims);
        }
    }

    /** Where no node serves claims. */
    Snapshot(
            Duration at,
            Optional<List<PodView>> pods,
            List<HeldCards> running,
            Map<String, Map<String, Set<String>>> listed,
            Set<String> edited) {
        this(at, pods, running, listed, edited, Kept.NOTHING, List.of(), List.of());
    }

    public Snapshot {
        pods = pods.map(List::copyOf);
        running = List.copyOf(running);
        listed = Map.copyOf(listed);
        edited = Set.copyOf(edited);
        claims = List.copyOf(claims);
        prepared = List.copyOf(prepared);
    }

    public Optional<PodView> pod(String uid) {
        return pods.stream()
                .flatMap(List::stream)
                .filter(pod -> pod.uid().equals(uid))
                .findFirst();
    }
}
