package io.gpushare.claims;

import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.kubernetes.Informer;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.PrepareFailure;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.pod.PodClaims;
import io.gpushare.model.pod.PodState;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
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
 *
 * <p>The informers only note what has changed. {@link #work} shows it, beside them and some of each namespace in turn:
 * one claim may be named by thousands of pods, and one pod may name {@link PodClaims#MOST} claims.
 */
public final class ClaimedPods implements PodFeed, Informer.Listener<ClaimState> {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimedPods.class);

    /** Anybody may write Events, also of pods that do not exist. */
    private static final int MOST_FAILURES = 4096;

    private final Function<String, Inventory> inventories;
    private final Predicate<PodState> annotated;
    private final PodFeed ledger;
    private final Runnable noted;
    private final Backlog backlog;
    private final Map<String, PodState> pods = new ConcurrentHashMap<>(); // those with claims, by uid
    // By "namespace/name" of the claim, as all that follows.
    private final Map<String, KnownClaim> claims = new HashMap<>();
    private final Map<String, Set<String>> naming = new HashMap<>(); // the pods that name it
    private final Map<String, String> holders = new HashMap<>(); // the uid of the pod, or of the claim itself
    private final Map<String, Set<String>> onNode = new HashMap<>(); // the claims with cards of a node, by its name
    private final Map<String, PodRef> counted = new HashMap<>(); // what the ledger has by claims, by uid
    private final Map<String, PodState> last = new HashMap<>(); // the pods as they were shown, by uid
    private final Map<String, Inventory> nodes = new HashMap<>(); // those that serve claims, by name
    /** By pod: namespace and name count too, because whoever may write Events in one namespace may name any UID. */
    private final Map<PodRef, PrepareFailure> failures = new LinkedHashMap<>();

    private MemoryUnit unit = MemoryUnit.GIB;

    /**
     * @param inventories that of a node in the ledger, by its name
     * @param annotated whether a pod is bound and has cards by its annotation
     * @param noted is run when there is something to {@link #work} off
     */
    public ClaimedPods(
            Function<String, Inventory> inventories,
            Predicate<PodState> annotated,
            PodFeed ledger,
            Runnable noted,
            LongSupplier nanoTime) {
        this.inventories = inventories;
        this.annotated = annotated;
        this.ledger = ledger;
        this.noted = noted;
        this.backlog = new Backlog(nanoTime);
    }

    @Override
    public void updatePod(PodState pod) {
        String uid = pod.ref().uid();
        if (pod.claims().none() && !pods.containsKey(uid)) {
            ledger.updatePod(pod);
            return;
        }
        synchronized (this) {
            if (pod.ended()) {
                forget(pod.ref());
                ledger.updatePod(pod);
            } else {
                note(pod, pods.put(uid, pod));
                // The ledger knows every bound pod at once.
                if (pod.node() != null && !counted.containsKey(uid)) {
                    show(pod, pod);
                }
            }
        }
        noted.run();
    }

    private void note(PodState pod, @Nullable PodState before) {
        String uid = pod.ref().uid();
        if (before == null || !usesTheSame(before, pod)) {
            if (before != null) {
                leave(before);
            }
            keys(pod).forEach(key -> {
                add(naming, key, uid);
                later(key, false);
            });
        }
        backlog.add(pod.ref().namespace(), new Backlog.Item.Shown(uid));
    }

    /** Whether it can hold the same claims. */
    private static boolean usesTheSame(PodState before, PodState now) {
        return before.claims().names().equals(now.claims().names())
                && Objects.equals(before.node(), now.node())
                && before.annotations().equals(now.annotations());
    }

    private void leave(PodState pod) {
        keys(pod).forEach(key -> {
            remove(naming, key, pod.ref().uid());
            later(key, false);
        });
    }

    @Override
    public void removePod(PodRef pod) {
        if (!pods.containsKey(pod.uid())) {
            ledger.removePod(pod);
            return;
        }
        synchronized (this) {
            forget(pod);
            ledger.removePod(pod);
        }
        noted.run();
    }

    private void forget(PodRef pod) {
        @Nullable PodState before = pods.remove(pod.uid());
        counted.remove(pod.uid());
        last.remove(pod.uid());
        if (before != null) {
            leave(before);
        }
    }

    @Override
    public void changed(ClaimState now) {
        replace(now.claim(), now.none() ? null : now);
    }

    @Override
    public synchronized void gone(ClaimState past) {
        @Nullable KnownClaim known = claims.get(past.claim().toString());
        if (known != null && known.claim().uid().equals(past.claim().uid())) {
            replace(past.claim(), null);
        }
    }

    /** Receives what kubelets say of claims that they can't prepare. */
    public Informer.Listener<PrepareFailure> failures() {
        return new Informer.Listener<>() {
            @Override
            public void changed(PrepareFailure now) {
                if (!now.message().isEmpty()) {
                    failed(now.pod(), now);
                }
            }

            @Override
            public void gone(PrepareFailure last) {
                @Nullable PrepareFailure known = failure(last.pod());
                if (known != null && known.event().equals(last.event())) {
                    failed(last.pod(), null);
                }
            }
        };
    }

    private synchronized @Nullable PrepareFailure failure(PodRef pod) {
        return failures.get(pod);
    }

    private void failed(PodRef pod, @Nullable PrepareFailure failure) {
        synchronized (this) {
            if (failure == null) {
                failures.remove(pod);
            } else {
                failures.put(pod, failure);
                if (failures.size() > MOST_FAILURES) {
                    failures.remove(failures.keySet().iterator().next());
                }
            }
            backlog.add(pod.namespace(), new Backlog.Item.Shown(pod.uid()));
        }
        noted.run();
    }

    /** Why the node does not start the pod; empty if it does. */
    private List<String> notes(PodState pod) {
        @Nullable PrepareFailure failure = failure(pod.ref());
        return failure == null || !pod.kubelet().started().isEmpty() ? List.of() : List.of(failure.sentence());
    }

    private void replace(ResourceClaim claim, @Nullable ClaimState now) {
        synchronized (this) {
            String key = claim.toString();
            @Nullable KnownClaim before = claims.get(key);
            if (Objects.equals(before == null ? null : before.state(), now)) {
                return; // thousands of pods may name it
            }
            if (before != null) {
                claims.remove(key);
                before.node().ifPresent(node -> remove(onNode, node, key));
            }
            if (now != null) {
                KnownClaim known = new KnownClaim(now);
                claims.put(key, known);
                known.node().ifPresent(node -> add(onNode, node, key));
            }
            later(key, true);
        }
        noted.run();
    }

    private void later(String key, boolean changed) {
        backlog.add(key.substring(0, key.indexOf('/')), new Backlog.Item.Held(key, changed));
    }

    @Override
    public void nodeChanged(String name) {
        synchronized (this) {
            Inventory now = inventories.apply(name);
            boolean serves = now.servesClaims();
            if (!serves && !onNode.containsKey(name) && !nodes.containsKey(name)) {
                return;
            }
            // A node whose plugin restarts, or is drained, keeps its place until it has the other offer.
            boolean kept = serves || (now.noCards() != null && nodes.containsKey(name));
            @Nullable Inventory before = kept ? nodes.put(name, now) : nodes.remove(name);
            if (!now.equals(before)) {
                onNode.getOrDefault(name, Set.of()).forEach(key -> {
                    last.remove(holders.getOrDefault(key, ""));
                    later(key, false);
                });
            }
            MemoryUnit smallest = smallestUnit();
            if (!smallest.equals(unit)) {
                unit = smallest;
                pods.values()
                        .forEach(pod -> backlog.add(
                                pod.ref().namespace(),
                                new Backlog.Item.Shown(pod.ref().uid())));
            }
        }
        noted.run();
    }

    /** The unit in which requests are counted that have no cards yet: the smallest of the nodes that serve claims. */
    private MemoryUnit smallestUnit() {
        return nodes.values().stream()
                .map(Inventory::unit)
                .min(Comparator.comparingLong(each -> each.size().bytes()))
                .orElse(MemoryUnit.GIB);
    }

    /** Shows what is next; returns the time until more is due. The informers wait for one thing at most. */
    public Duration work() {
        while (step()) {
            if (Thread.currentThread().isInterrupted()) {
                break;
            }
        }
        synchronized (this) {
            return backlog.rest().orElse(PeriodicTask.ON_REQUEST);
        }
    }

    private synchronized boolean step() {
        Optional<Backlog.Item> next = backlog.next();
        next.ifPresent(item -> {
            try {
                switch (item) {
                    case Backlog.Item.Shown(String uid) -> show(uid);
                    case Backlog.Item.Held(String key, boolean changed) -> settle(key, changed);
                }
            } catch (RuntimeException e) {
                // One that can't be counted does not keep the others from it.
                LOG.warn("{} can't be counted: {}", item, e.toString());
            }
        });
        return next.isPresent();
    }

    /** The claims with cards that are for certain pods, all of which are gone. */
    synchronized List<ResourceClaim> withoutPods() {
        return claims.values().stream()
                .filter(KnownClaim::allocated)
                .map(KnownClaim::claim)
                .filter(claim -> !claim.pods().isEmpty()
                        && claim.pods().stream().map(PodRef::uid).noneMatch(pods::containsKey))
                .toList();
    }

    /** The time by which the ledger is behind; no tenant alone makes it long. */
    @Override
    public synchronized Duration behind() {
        return backlog.behind();
    }

    /** The pod as its claims are now, also those that count at another pod. */
    @Override
    public synchronized PodState show(PodState pod) {
        return pod.claims().none() ? pod : shown(pod, claim -> claim.node().equals(Optional.ofNullable(pod.node())));
    }

    /** Whoever holds the claim now is shown with it, and nobody else any more. */
    private void settle(String key, boolean changed) {
        @Nullable KnownClaim claim = claims.get(key);
        @Nullable String now = claim == null || !claim.allocated() ? null : holder(key, claim);
        @Nullable String before = now == null ? holders.remove(key) : holders.put(key, now);
        String namespace = key.substring(0, key.indexOf('/'));
        if (before != null && !before.equals(now)) {
            backlog.add(namespace, new Backlog.Item.Shown(before));
        }
        if (now != null && pods.containsKey(now)) {
            backlog.add(namespace, new Backlog.Item.Shown(now));
        } else if (now != null && claim != null) {
            PodRef self = new PodRef(now, namespace, "claim/" + claim.claim().name());
            String node = claim.node().orElseThrow();
            PodClaims held = held(List.of(claim), node, PodClaims.NONE, List.of());
            if (held.demand() == null) {
                show(now); // none of its cards is there
            } else {
                count(PodState.of(self, node, Map.of(), List.of()).with(held));
            }
        }
        if (changed) {
            naming.getOrDefault(key, Set.of()).forEach(uid -> backlog.add(namespace, new Backlog.Item.Shown(uid)));
        }
    }

    private String holder(String key, KnownClaim claim) {
        return claim.claim().pods().stream()
                .map(PodRef::uid)
                .filter(naming.getOrDefault(key, Set.of())::contains)
                .filter(uid ->
                        Optional.ofNullable(pods.get(uid)).map(PodState::node).equals(claim.node()))
                .filter(uid -> !annotated.test(Objects.requireNonNull(pods.get(uid))))
                .findFirst()
                .orElse(claim.claim().uid());
    }

    /** Shows the ledger what there is with that uid. */
    private void show(String uid) {
        @Nullable PodState pod = pods.get(uid);
        @Nullable PodRef gone = counted.get(uid);
        if (pod != null) {
            show(pod, shown(pod, claim -> uid.equals(holders.get(claim.claim().toString()))));
        } else if (gone != null) {
            counted.remove(uid);
            ledger.removePod(gone);
        }
    }

    /** Unless the ledger has it already. */
    private void show(PodState pod, PodState shown) {
        if (!shown.equals(last.put(pod.ref().uid(), shown))) {
            count(shown);
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
    private PodState shown(PodState pod, Predicate<KnownClaim> its) {
        List<KnownClaim> named = pod.claims().names().stream()
                .flatMap(name -> Stream.ofNullable(claims.get(pod.ref().namespace() + "/" + name)))
                .toList();
        @Nullable String node = pod.node();
        if (node != null) {
            List<KnownClaim> having = named.stream()
                    .filter(claim -> claim.allocated() && its.test(claim))
                    .toList();
            return having.isEmpty() || annotated.test(pod)
                    ? pod
                    : pod.with(held(having, node, pod.claims(), notes(pod)));
        }
        // Only an unbound pod waits: kube-scheduler allocates its claims before it binds it.
        List<RequestedCards.OfClaim> waiting = named.stream()
                .filter(claim -> !claim.allocated())
                .map(claim -> claim.requested(unit))
                .toList();
        return RequestedCards.of(waiting)
                .map(requested -> pod.with(new PodClaims(
                        pod.claims().names(),
                        pod.claims().missing(),
                        pod.claims().uses(),
                        requested.demand(),
                        null,
                        requested.notes())))
                .orElse(pod);
    }

    private PodClaims held(List<KnownClaim> having, String node, PodClaims named, List<String> notes) {
        Optional<Allocation> held = new ClaimedCards(node, inventories.apply(node)).of(having);
        return held.map(allocation -> new PodClaims(
                        named.names(),
                        named.missing(),
                        named.uses(),
                        ClaimedCards.demand(allocation),
                        allocation,
                        notes))
                .orElse(named);
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
