package io.gpushare.plugin.node.holdings;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The latest holdings: of the latest inventory, the latest pods, and what each source has when it is asked. A step does
 * no I/O.
 */
public final class LatestHoldings {
    private final Runnable changed;
    private final List<HoldingsSource> sources = new CopyOnWriteArrayList<>();
    private final List<Runnable> followers = new CopyOnWriteArrayList<>();
    private final List<Runnable> free = new CopyOnWriteArrayList<>();
    private Inventory inventory;
    private Map<String, NodePod> pods = Map.of();
    private Map<String, Set<CardId>> computing = Map.of();
    private @Nullable Cached cached;

    /** Holdings, and what they were made of. */
    private record Cached(
            Inventory inventory,
            Map<String, NodePod> pods,
            Map<Offer, OfferHoldings> offers,
            Map<String, Set<CardId>> computing,
            Holdings holdings) {
        @SuppressWarnings("ReferenceEquality") // Immutable values are compared again and again.
        boolean of(
                Inventory now,
                Map<String, NodePod> known,
                Map<Offer, OfferHoldings> by,
                Map<String, Set<CardId>> ended) {
            return inventory == now
                    && pods == known
                    && computing == ended
                    && by.entrySet().stream().allMatch(each -> offers.get(each.getKey()) == each.getValue());
        }
    }

    /** The thread that makes a step runs {@code changed} after it. */
    public LatestHoldings(Inventory first, Runnable changed) {
        this.inventory = first;
        this.changed = changed;
    }

    /** Asks that source as well from now on. */
    public void add(HoldingsSource source) {
        sources.add(source);
        changed.run();
    }

    /** Runs that after each change of the inventory, on the thread that made it. */
    public void follow(Runnable follower) {
        followers.add(follower);
    }

    public synchronized Inventory inventory() {
        return inventory;
    }

    private synchronized Map<String, NodePod> pods() {
        return pods;
    }

    private synchronized Map<String, Set<CardId>> computing() {
        return computing;
    }

    public Holdings now() {
        Inventory of = inventory();
        Map<String, NodePod> known = pods();
        Map<Offer, OfferHoldings> offers = new EnumMap<>(Offer.class);
        sources.forEach(source -> offers.put(source.offer(), source.on(of)));
        synchronized (this) {
            if (cached == null || !cached.of(of, known, offers, computing)) {
                cached = new Cached(of, known, offers, computing, Holdings.of(of, known.values(), offers, computing));
            }
            return cached.holdings();
        }
    }

    /** The holdings if these were the cards. */
    public Holdings on(Inventory other) {
        Map<Offer, OfferHoldings> offers = new EnumMap<>(Offer.class);
        sources.forEach(source -> offers.put(source.offer(), source.on(other)));
        return Holdings.of(other, pods().values(), offers, computing());
    }

    /** The holdings, with what is recorded of pods with these UIDs, whose processes run. */
    public Holdings running(Set<String> uids) {
        Inventory of = inventory();
        Map<Offer, OfferHoldings> offers = new EnumMap<>(Offer.class);
        sources.forEach(source -> offers.put(source.offer(), source.on(of, uids)));
        return Holdings.of(of, pods().values(), offers, computing());
    }

    /** Makes one step of the inventory. */
    public void update(UnaryOperator<Inventory> step) {
        synchronized (this) {
            inventory = step.apply(inventory);
        }
        followers.forEach(Runnable::run);
        changed.run();
    }

    /**
     * These have ended and still compute, with their cards by their names; runs those that follow whose cards are free.
     */
    public void stillComputing(Map<String, Set<CardId>> now) {
        synchronized (this) {
            computing = Map.copyOf(now);
        }
        free.forEach(Runnable::run);
        changed.run();
    }

    /** Runs that after each change of what computes without holding, on the thread that made it. */
    public void followFree(Runnable follower) {
        free.add(follower);
    }

    /** The API reported this pod. */
    public void pod(NodePod pod) {
        pods(all -> all.put(pod.ref().uid(), pod));
    }

    /** The API deleted the pod. */
    public void podDeleted(String uid) {
        pods(all -> all.remove(uid));
    }

    private void pods(Consumer<Map<String, NodePod>> step) {
        synchronized (this) {
            Map<String, NodePod> next = new HashMap<>(pods);
            step.accept(next);
            pods = Map.copyOf(next);
        }
        changed.run();
    }
}
