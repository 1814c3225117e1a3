package io.gpushare.plugin.node.holdings;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A node for tests: its cards, its pods, and who has what; whichever protocol would have given it. */
public record TestNode(Inventory inventory, Map<String, NodePod> pods, Map<String, Holder> holders, boolean complete) {
    public static TestNode of(Inventory inventory) {
        return new TestNode(inventory, Map.of(), Map.of(), true);
    }

    public TestNode withInventory(Inventory changed) {
        return new TestNode(changed, pods, holders, complete);
    }

    /** Not everything is known. */
    public TestNode incomplete() {
        return new TestNode(inventory, pods, holders, false);
    }

    /** The API reports that pod, which has nothing unless it {@link #holds} something. */
    public TestNode withPod(NodePod pod) {
        Map<String, NodePod> changed = new LinkedHashMap<>(pods);
        changed.put(pod.ref().uid(), pod);
        return new TestNode(inventory, changed, holders, complete);
    }

    /** The API reports that pod, which has what its annotation says. */
    public TestNode withHolder(NodePod pod) {
        return withPod(pod).with(Holder.pod(pod.ref(), pod.allocation().valid().orElseThrow()));
    }

    public TestNode withoutPod(String uid) {
        Map<String, NodePod> left = new LinkedHashMap<>(pods);
        left.remove(uid);
        Map<String, Holder> others = new LinkedHashMap<>(holders);
        others.remove(uid);
        return new TestNode(inventory, left, others, complete);
    }

    /** That pod has this too. */
    public TestNode holds(PodRef pod, ContainerAllocation container) {
        List<ContainerAllocation> all = new ArrayList<>();
        Optional.ofNullable(holders.get(pod.uid()))
                .flatMap(Holder::allocation)
                .ifPresent(before -> all.addAll(before.containers()));
        all.add(container);
        return with(Holder.pod(pod, new Allocation(inventory.unit(), all)));
    }

    public TestNode with(Holder holder) {
        Map<String, Holder> changed = new LinkedHashMap<>(holders);
        changed.put(holder.ref().uid(), holder);
        return new TestNode(inventory, pods, changed, complete);
    }

    /** The part of a claim of that name that these containers use. */
    public static Holder claim(String name, ContainerAllocation request, Holder.User... users) {
        Allocation allocation = new Allocation(MemoryUnit.GIB, List.of(request));
        return new Holder(
                Offer.CLAIMS,
                new PodRef("uid-claim-" + name, "default", name),
                Optional.of(allocation),
                Map.of(request.name(), List.of(users)),
                allocation.cards());
    }

    private OfferHoldings by(Offer offer) {
        return new OfferHoldings(
                holders.values().stream()
                        .filter(holder -> holder.offer() == offer)
                        .toList(),
                Set.of(),
                complete);
    }

    public Holdings holdings() {
        Map<Offer, OfferHoldings> offers = new HashMap<>();
        for (Offer offer : Offer.values()) {
            offers.put(offer, by(offer));
        }
        return Holdings.of(inventory, pods.values(), offers, Map.of());
    }

    public LatestHoldings latest() {
        LatestHoldings latest = new LatestHoldings(inventory, () -> {});
        pods.values().forEach(latest::pod);
        for (Offer offer : Offer.values()) {
            OfferHoldings all = by(offer);
            latest.add(new HoldingsSource() {
                @Override
                public Offer offer() {
                    return offer;
                }

                @Override
                public OfferHoldings on(Inventory cards) {
                    return all;
                }
            });
        }
        return latest;
    }
}
