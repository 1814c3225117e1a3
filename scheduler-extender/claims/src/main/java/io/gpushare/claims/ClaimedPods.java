package io.gpushare.claims;

import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.kubernetes.Informer;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.pod.PodClaims;
import io.gpushare.model.pod.PodState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the ledger each pod with claims as if it had requested what these request, or hold. What is shown follows from
 * the pods, claims and inventories that there are, in whatever order they came.
 *
 * <p>A claim counts once: at the first of its pods that runs on the node of its cards, or by its own name while there
 * is none. Pods without claims pass as they are, and so does a bound pod that has cards by its annotation: a claim that
 * it has beside them counts by its own name.
 */
public final class ClaimedPods implements PodFeed, Informer.Listener<ClaimState> {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimedPods.class);

    private final Function<String, Inventory> inventories;
    private final Predicate<PodState> annotated;
    private final PodFeed ledger;
    private final Map<String, PodState> pods = new ConcurrentHashMap<>(); // those with claims, by uid
    // By "namespace/name" of the claim, as all that follows.
    private final Map<String, ClaimState> claims = new HashMap<>();
    private final Map<String, Set<String>> naming = new HashMap<>(); // the pods that name it
    private final Map<String, String> holders = new HashMap<>(); // the uid of the pod, or of the claim itself
    private final Map<String, Set<String>> onNode = new HashMap<>(); // the claims with cards of a node, by its name
    private final Map<String, PodRef> counted = new HashMap<>(); // what the ledger has by claims, by uid
    private final Map<String, Inventory> nodes = new HashMap<>(); // those that serve claims, by name

    /**
     * @param inventories that of a node in the ledger, by its name
     * @param annotated whether a pod is bound and has cards by its annotation
     */
    public ClaimedPods(Function<String, Inventory> inventories, Predicate<PodState> annotated, PodFeed ledger) {
        this.inventories = inventories;
        this.annotated = annotated;
        this.ledger = ledger;
    }

    @Override
    public void updatePod(PodState pod) {
        if (pod.claims().none() && !pods.containsKey(pod.ref().uid())) {
            ledger.updatePod(pod);
            return;
        }
        synchronized (this) {
            String uid = pod.ref().uid();
            @Nullable PodState before = pod.ended() ? pods.remove(uid) : pods.put(uid, pod);
            Set<String> named = before == null ? new HashSet<>() : keys(before);
            named.forEach(key -> remove(naming, key, uid));
            if (pod.ended()) {
                counted.remove(uid);
                ledger.updatePod(pod);
            } else {
                keys(pod).forEach(key -> add(naming, key, uid));
                named.addAll(keys(pod));
                show(uid);
            }
            named.forEach(this::settle);
        }
    }

    @Override
    public void removePod(PodRef pod) {
        if (!pods.containsKey(pod.uid())) {
            ledger.removePod(pod);
            return;
        }
        synchronized (this) {
            @Nullable PodState before = pods.remove(pod.uid());
            counted.remove(pod.uid());
            ledger.removePod(pod);
            if (before != null) {
                keys(before).forEach(key -> remove(naming, key, pod.uid()));
                keys(before).forEach(this::settle);
            }
        }
    }

    @Override
    public synchronized void changed(ClaimState now) {
        replace(now.claim(), now.none() ? null : now);
    }

    @Override
    public synchronized void gone(ClaimState last) {
        @Nullable ClaimState known = claims.get(last.claim().toString());
        if (known != null && known.claim().uid().equals(last.claim().uid())) {
            replace(last.claim(), null);
        }
    }

    private void replace(ResourceClaim claim, @Nullable ClaimState now) {
        String key = claim.toString();
        @Nullable ClaimState before = now == null ? claims.remove(key) : claims.put(key, now);
        if (Objects.equals(before, now)) {
            return; // thousands of pods may name it
        }
        if (before != null) {
            node(before).ifPresent(node -> remove(onNode, node, key));
        }
        if (now != null) {
            node(now).ifPresent(node -> add(onNode, node, key));
        }
        settle(key);
        naming.getOrDefault(key, Set.of()).forEach(this::show);
    }

    @Override
    public synchronized void nodeChanged(String name) {
        Inventory now = inventories.apply(name);
        boolean serves = now.servesClaims();
        if (!serves && !onNode.containsKey(name) && !nodes.containsKey(name)) {
            return;
        }
        MemoryUnit unit = unit();
        // A node whose plugin restarts, or is drained, keeps its place until it offers its cards in the other way.
        boolean kept = serves || (now.noCards() != null && nodes.containsKey(name));
        @Nullable Inventory before = kept ? nodes.put(name, now) : nodes.remove(name);
        if (!now.equals(before)) {
            each(onNode.getOrDefault(name, Set.of()), this::settle);
        }
        if (!unit().equals(unit)) {
            each(pods.keySet(), this::show);
        }
    }

    /** One that can't be counted does not keep the others from it. */
    private static void each(Set<String> all, Consumer<String> counted) {
        for (String one : all) {
            try {
                counted.accept(one);
            } catch (RuntimeException e) {
                LOG.warn("{} can't be counted: {}", one, e.toString());
            }
        }
    }

    /** The unit in which requests are counted that have no cards yet: the smallest of the nodes that serve claims. */
    private MemoryUnit unit() {
        return nodes.values().stream()
                .map(Inventory::unit)
                .min(Comparator.comparingLong(unit -> unit.size().bytes()))
                .orElse(MemoryUnit.GIB);
    }

    /** The pod as its claims are now, also those that count at another pod. */
    @Override
    public synchronized PodState show(PodState pod) {
        return pod.claims().none() ? pod : shown(pod, claim -> node(claim).equals(Optional.ofNullable(pod.node())));
    }

    /** Whoever holds the claim now is shown with it, and nobody else any more. */
    private void settle(String key) {
        @Nullable ClaimState claim = claims.get(key);
        @Nullable String now = claim == null || claim.claim().results().isEmpty() ? null : holder(key, claim);
        @Nullable String before = now == null ? holders.remove(key) : holders.put(key, now);
        if (before != null && !before.equals(now)) {
            show(before);
        }
        if (now != null && pods.containsKey(now)) {
            show(now);
        } else if (now != null && claim != null) {
            PodRef self = new PodRef(
                    now, claim.claim().namespace(), "claim/" + claim.claim().name());
            String node = node(claim).orElseThrow();
            PodClaims held = held(List.of(claim), node, PodClaims.NONE);
            if (held.demand() == null) {
                show(now); // none of its cards is there
            } else {
                count(PodState.of(self, node, Map.of(), List.of()).with(held));
            }
        }
    }

    private String holder(String key, ClaimState claim) {
        return claim.claim().pods().stream()
                .map(PodRef::uid)
                .filter(naming.getOrDefault(key, Set.of())::contains)
                .filter(uid ->
                        Optional.ofNullable(pods.get(uid)).map(PodState::node).equals(node(claim)))
                .filter(uid -> !annotated.test(Objects.requireNonNull(pods.get(uid))))
                .findFirst()
                .orElse(claim.claim().uid());
    }

    /** Shows the ledger what there is with that uid. */
    private void show(String uid) {
        @Nullable PodState pod = pods.get(uid);
        @Nullable PodRef gone = counted.get(uid);
        if (pod != null) {
            count(shown(pod, claim -> uid.equals(holders.get(claim.claim().toString()))));
        } else if (gone != null) {
            counted.remove(uid);
            ledger.removePod(gone);
        }
    }

    private void count(PodState shown) {
        String uid = shown.ref().uid();
        boolean holds = shown.claims().allocation() != null;
        if (!holds && counted.remove(uid) != null) {
            ledger.removePod(shown.ref());
        }
        if (holds) {
            counted.put(uid, shown.ref());
        }
        ledger.updatePod(shown);
    }

    /** @param its whether the pod is shown with the cards of that claim */
    private PodState shown(PodState pod, Predicate<ClaimState> its) {
        List<ClaimState> named = pod.claims().names().stream()
                .flatMap(name -> Stream.ofNullable(claims.get(pod.ref().namespace() + "/" + name)))
                .toList();
        @Nullable String node = pod.node();
        if (node != null) {
            List<ClaimState> having = named.stream()
                    .filter(claim -> !claim.claim().results().isEmpty() && its.test(claim))
                    .toList();
            return having.isEmpty() || annotated.test(pod) ? pod : pod.with(held(having, node, pod.claims()));
        }
        // Only an unbound pod waits: kube-scheduler allocates its claims before it binds it.
        List<ClaimState> waiting = named.stream()
                .filter(claim -> claim.claim().results().isEmpty())
                .toList();
        return RequestedCards.of(waiting, unit())
                .map(requested -> pod.with(new PodClaims(
                        pod.claims().names(),
                        pod.claims().missing(),
                        pod.claims().uses(),
                        requested.demand(),
                        null,
                        requested.notes())))
                .orElse(pod);
    }

    private PodClaims held(List<ClaimState> having, String node, PodClaims named) {
        Optional<Allocation> held = new ClaimedCards(node, inventories.apply(node)).of(having);
        return held.map(allocation -> new PodClaims(
                        named.names(),
                        named.missing(),
                        named.uses(),
                        ClaimedCards.demand(allocation),
                        allocation,
                        List.of()))
                .orElse(named);
    }

    /** The node of the claim's cards. */
    private static Optional<String> node(ClaimState claim) {
        return claim.claim().results().stream().map(ResourceClaim.Result::pool).findFirst();
    }

    private static Set<String> keys(PodState pod) {
        Set<String> keys = new HashSet<>();
        pod.claims().names().forEach(name -> keys.add(pod.ref().namespace() + "/" + name));
        return keys;
    }

    private static void add(Map<String, Set<String>> to, String key, String value) {
        to.computeIfAbsent(key, _ -> new HashSet<>()).add(value);
    }

    private static void remove(Map<String, Set<String>> from, String key, String value) {
        from.computeIfPresent(key, (_, values) -> {
            values.remove(value);
            return values.isEmpty() ? null : values;
        });
    }
}
