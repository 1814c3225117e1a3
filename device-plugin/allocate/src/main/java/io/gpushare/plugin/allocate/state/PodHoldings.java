package io.gpushare.plugin.allocate.state;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.RecordedPods;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.HoldingsSource;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.holdings.OfferHoldings;
import io.gpushare.plugin.node.pod.NodePod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who has cards by the device plugin API. On a node that offers its cards by claims, the kubelet's record says which
 * cards these pods keep: {@link #look} reads it.
 */
public final class PodHoldings implements HoldingsSource {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final LatestSnapshot latest;
    private final BooleanSupplier complete;
    private volatile Records records = Records.OF_THE_ACTIVE_OFFER;
    private volatile @Nullable Cached cached;

    /**
     * What is recorded of an offer that is not active.
     *
     * @param needed whether it is not
     * @param pods null while the pods can't be listed
     */
    private record Records(boolean needed, @Nullable RecordedPods pods) {
        static final Records OF_THE_ACTIVE_OFFER = new Records(false, null);
    }

    /** Holdings, and what they were made of. */
    private record Cached(
            NodeSnapshot snapshot, Inventory inventory, Records records, boolean complete, OfferHoldings holdings) {}

    /** @param complete whether every pod that has a share is counted: before, cards seem to be unused */
    public PodHoldings(LatestSnapshot latest, BooleanSupplier complete) {
        this.latest = latest;
        this.complete = complete;
    }

    @Override
    public Offer offer() {
        return Offer.DEVICE_PLUGIN;
    }

    @Override
    @SuppressWarnings("ReferenceEquality")
    public OfferHoldings on(Inventory inventory) {
        NodeSnapshot now = latest.now();
        Records known = records;
        boolean all = complete.getAsBoolean();
        Cached last = cached;
        if (last == null
                || last.snapshot() != now
                || last.inventory() != inventory
                || last.records() != known
                || last.complete() != all) {
            last = new Cached(now, inventory, known, all, of(now.withInventory(inventory), known, all));
            cached = last;
        }
        return last.holdings();
    }

    @Override
    public OfferHoldings on(Inventory inventory, Set<String> running) {
        NodeSnapshot now = latest.now().withInventory(inventory);
        return of(now.withRecorded(running), records, complete.getAsBoolean());
    }

    private static OfferHoldings of(NodeSnapshot snapshot, Records records, boolean complete) {
        List<Holder> holders = new ArrayList<>();
        if (!records.needed()) {
            snapshot.allocations()
                    .assigned()
                    .holdings()
                    .forEach(holding -> holders.add(Holder.pod(holding.holder(), holding.allocation())));
            return new OfferHoldings(holders, Set.of(), complete);
        }
        Set<String> mayHaveAny = new HashSet<>();
        Map<PodRef, Set<CardId>> kept = new HashMap<>();
        if (records.pods() == null) {
            mayHaveAny.add("the pods of this node can't be listed");
        } else {
            kept.putAll(records.pods().on(snapshot.inventory()));
        }
        kept.forEach((pod, cards) -> {
            if (cards.isEmpty()) {
                mayHaveAny.add("pod " + pod);
            }
        });
        for (NodeCards.Holding holding : snapshot.allocations().assigned().holdings()) {
            Set<CardId> own = kept.remove(holding.holder());
            holders.add(holder(holding.holder(), Optional.of(holding.allocation()), own == null ? Set.of() : own));
        }
        kept.forEach((pod, cards) -> holders.add(holder(pod, Optional.empty(), cards)));
        return new OfferHoldings(holders, mayHaveAny, complete);
    }

    private static Holder holder(PodRef pod, Optional<Allocation> allocation, Set<CardId> kept) {
        return new Holder(Offer.DEVICE_PLUGIN, pod, allocation, Map.of(), kept);
    }

    /**
     * Reads what is recorded, where the device plugin is not the active offer.
     *
     * @param live lists the node's pods at the API server; empty when it does not respond within the timeout
     * @param checkpoint reads what the kubelet recorded, after the pods were listed; empty if that fails
     */
    public void look(
            Function<Duration, Optional<List<NodePod>>> live, Supplier<Optional<KubeletCheckpoint>> checkpoint) {
        Optional<List<NodePod>> pods = live.apply(TIMEOUT);
        Optional<KubeletCheckpoint> recorded = pods.isEmpty() ? Optional.empty() : checkpoint.get();
        // Pods of the device plugin keep their isolation by what the snapshot has of them.
        recorded.ifPresent(now -> latest.update(snapshot -> snapshot.withCheckpoint(now)));
        records = new Records(
                true,
                pods.map(all -> new RecordedPods(all, recorded.orElse(null))).orElse(null));
    }
}
