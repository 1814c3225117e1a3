package io.gpushare.extender.waste;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.MemoryUsage.Part;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Isolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a pod holds of one card, and what it uses of it as far as the node's device plugin reports.
 *
 * @param card the index of the card
 * @param units of the node; those of the whole card for a pod that holds it whole
 * @param cores percent of the card's cores; 0 for a pod that is not limited
 * @param allocatedBytes at most the memory of the card; all of it for a pod that holds it whole
 * @param usedBytes null if unknown
 * @param isolation what holds its containers to the units
 * @param idleSeconds for how long it has not computed there; null if unknown
 */
@JsonPropertyOrder({"pod", "workload"})
public record PodOnCard(
        @JsonUnwrapped PodRef pod,
        String node,
        int card,
        int units,
        boolean whole,

        @JsonProperty("coresPercent") @JsonInclude(JsonInclude.Include.NON_DEFAULT)
        int cores,

        long allocatedBytes,
        @JsonIgnore Isolation isolation,
        @Nullable Long usedBytes,
        @Nullable Long idleSeconds) {
    /** A pod that has not computed for this time is idle. */
    public static final Duration IDLE = Duration.ofMinutes(30);

    // What a Deployment, ReplicaSet, StatefulSet, Job or CronJob adds: its random names have these letters only.
    private static final Pattern OWNED = Pattern.compile(
            "(.+?)(?:(?:-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}|-[0-9]{1,10})");

    public PodOnCard {
        Objects.requireNonNull(pod);
        Objects.requireNonNull(node);
        Objects.requireNonNull(isolation);
    }

    /** Everything that pods hold of these nodes' cards. */
    public static List<PodOnCard> of(List<NodeView> nodes, Map<String, NodeUse> usage) {
        return nodes.stream()
                .flatMap(node -> of(node, usage.getOrDefault(node.name(), NodeUse.UNKNOWN)).stream())
                .toList();
    }

    /** Everything that pods hold of the node's cards. */
    public static List<PodOnCard> of(NodeView node, NodeUse usage) {
        return CardView.of(node.cards()).stream()
                .flatMap(card -> of(node, card, usage).stream())
                .toList();
    }

    /** Everything that pods hold of one of the node's cards. */
    public static List<PodOnCard> of(NodeView node, CardView view, NodeUse usage) {
        long unit = node.cards().inventory().unit().size().bytes();
        Card card = view.state().card();
        long memory = card.memory().bytes();
        List<PodOnCard> all = new ArrayList<>(view.shares().size());
        for (CardView.Share share : view.shares()) {
            Part part = new Part(
                    card.id().uuid(), share.pod().namespace(), share.pod().name());
            all.add(new PodOnCard(
                    share.pod(),
                    node.name(),
                    card.index(),
                    share.units(),
                    share.whole(),
                    share.cores(),
                    share.whole() ? memory : Math.min(memory, share.units() * unit),
                    card.isolation().inForce(),
                    usage.pods().get(part),
                    usage.idleSeconds().get(part)));
        }
        return all;
    }

    /** Allocated and not used; 0 if the usage is unknown. */
    public long unusedBytes() {
        return usedBytes == null ? 0 : Math.max(0, allocatedBytes - usedBytes);
    }

    /** Used beyond what is allocated; 0 if the usage is unknown. */
    public long overBytes() {
        return usedBytes == null || whole ? 0 : Math.max(0, usedBytes - allocatedBytes);
    }

    @JsonProperty
    public boolean over() {
        return overBytes() > 0;
    }

    @JsonProperty
    public boolean idle() {
        return idleSeconds != null && idleSeconds >= IDLE.toSeconds();
    }

    /** The name of the pod without what its owner added to its own name: that of the owner, by Kubernetes' custom. */
    @JsonProperty
    public String workload() {
        Matcher owned = OWNED.matcher(pod.name());
        return owned.matches() ? owned.group(1) : pod.name();
    }
}
