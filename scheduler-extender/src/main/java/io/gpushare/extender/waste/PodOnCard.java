package io.gpushare.extender.waste;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.waste.CardView.Share;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.MemoryUsage.Part;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Isolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a pod holds of one card, and what it uses of it as far as the node's device plugin reports.
 *
 * @param card the index of the card
 * @param allocatedBytes at most the memory of the card; all of it for a pod that holds it whole
 * @param usedBytes null if unknown
 * @param isolation what holds its containers to the units
 * @param idleSeconds for how long it has not computed there; null if unknown
 */
public record PodOnCard(
        Share share,
        String node,
        int card,
        long allocatedBytes,
        Isolation isolation,
        @Nullable Long usedBytes,
        @Nullable Long idleSeconds) {
    /** A pod that has not computed for this time is idle. */
    public static final Duration IDLE = Duration.ofMinutes(30);

    // What a Deployment, ReplicaSet, StatefulSet, Job or CronJob adds: its random names have these letters only.
    private static final Pattern OWNED = Pattern.compile(
            "(.+?)(?:(?:-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}|-[0-9]{1,10})");

    /** Everything that pods hold of these nodes' cards. */
    public static List<PodOnCard> of(List<NodeView> nodes, Map<String, NodeUse> usage) {
        return nodes.stream()
                .flatMap(node -> of(node, usage.getOrDefault(node.name(), NodeUse.UNKNOWN)).stream())
                .toList();
    }

    /** Everything that pods hold of the node's cards. */
    public static List<PodOnCard> of(NodeView node, NodeUse usage) {
        long unit = node.cards().inventory().unit().size().bytes();
        List<PodOnCard> all = new ArrayList<>();
        for (CardView card : CardView.of(node.cards())) {
            long memory = card.state().card().memory().bytes();
            String uuid = card.state().card().id().uuid();
            for (Share share : card.shares()) {
                Part part = new Part(uuid, share.pod().namespace(), share.pod().name());
                all.add(new PodOnCard(
                        share,
                        node.name(),
                        card.state().card().index(),
                        share.whole() ? memory : Math.min(memory, share.units() * unit),
                        card.state().card().isolation().inForce(),
                        usage.pods().get(part),
                        usage.idleSeconds().get(part)));
            }
        }
        return all;
    }

    public PodRef pod() {
        return share.pod();
    }

    /** Allocated and not used; 0 if the usage is unknown. */
    public long unusedBytes() {
        return usedBytes == null ? 0 : Math.max(0, allocatedBytes - usedBytes);
    }

    /** Used beyond what is allocated; 0 if the usage is unknown. */
    public long overBytes() {
        return usedBytes == null || share.whole() ? 0 : Math.max(0, usedBytes - allocatedBytes);
    }

    public boolean over() {
        return overBytes() > 0;
    }

    public boolean idle() {
        return idleSeconds != null && idleSeconds >= IDLE.toSeconds();
    }

    /** The name of the pod without what its owner added to its own name: that of the owner, by Kubernetes' custom. */
    public String workload() {
        Matcher owned = OWNED.matcher(pod().name());
        return owned.matches() ? owned.group(1) : pod().name();
    }
}
