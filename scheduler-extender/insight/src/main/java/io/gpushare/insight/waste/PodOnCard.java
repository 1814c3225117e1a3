package io.gpushare.insight.waste;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.CardUsage.Part;
import io.gpushare.insight.waste.CardUsage.PodUse;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
 * @param isolation what holds its containers to the units
 * @param use what is measured of it
 * @param unknown why its utilization is unknown where the device plugin reports usage, as a sentence
 * @param notStarted why its node does not start it, as a sentence without a full stop; null if it does, or if nobody
 *     asked
 */
public record PodOnCard(
        @JsonUnwrapped Share share,
        String node,
        int card,
        long allocatedBytes,
        @JsonIgnore Isolation isolation,
        @JsonUnwrapped PodUse use,
        @JsonProperty("utilizationUnknown") @Nullable String unknown,
        @Nullable String notStarted) {
    public static final Comparator<PodRef> BY_NAME =
            Comparator.comparing(PodRef::namespace).thenComparing(PodRef::name).thenComparing(PodRef::uid);

    /** A pod that has not computed for this time is idle. */
    public static final Duration IDLE = Duration.ofMinutes(30);

    // What a Deployment, ReplicaSet, StatefulSet, Job or CronJob adds: its random names have these letters only.
    private static final Pattern OWNED = Pattern.compile(
            "(.+?)(?:(?:-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}|-[0-9]{1,10})");

    /**
     * The share of a card that one pod holds.
     *
     * @param units in the node's units; those of the whole card for a pod that holds it whole
     * @param cores percent of the card's cores that it requests
     * @param coreCap percent of them that its containers may use together, requested or not; 0 for no limit
     */
    public record Share(
            @JsonUnwrapped PodRef pod,
            int units,
            boolean whole,

            @JsonProperty("coresPercent") @JsonInclude(JsonInclude.Include.NON_DEFAULT)
            int cores,

            @JsonProperty("coresCapPercent") @JsonInclude(JsonInclude.Include.NON_DEFAULT)
            int coreCap) {}

    /** Everything that pods hold of the node's cards, by card and name. */
    public static List<PodOnCard> of(NodeView node, NodeUse usage) {
        Map<CardId, List<PodOnCard>> byCard = byCard(node, usage);
        return node.cards().cards().stream()
                .flatMap(state -> byCard.getOrDefault(state.card().id(), List.of()).stream())
                .toList();
    }

    /** What pods hold of each card, by name. Shares of cards that the node does not have are left out. */
    public static Map<CardId, List<PodOnCard>> byCard(NodeView node, NodeUse usage) {
        Map<CardId, CardState> states = new HashMap<>();
        node.cards().cards().forEach(state -> states.put(state.card().id(), state));
        Map<CardId, List<PodOnCard>> byCard = new HashMap<>();
        for (NodeCards.Holding holding : node.cards().holdings()) {
            for (CardId id : holding.allocation().cards()) {
                @Nullable CardState state = states.get(id);
                if (state != null) {
                    byCard.computeIfAbsent(id, any -> new ArrayList<>()).add(of(node, state, holding, usage));
                }
            }
        }
        byCard.values().forEach(pods -> pods.sort(Comparator.comparing(PodOnCard::pod, BY_NAME)));
        return byCard;
    }

    private static PodOnCard of(NodeView node, CardState state, NodeCards.Holding holding, NodeUse usage) {
        PodRef pod = holding.holder();
        Card card = state.card();
        var held = node.cards().shareOn(holding.allocation(), card.id());
        boolean whole = held.takenWhole() > 0;
        int units = whole ? state.capacity().units() : held.units();
        long bytes = units * node.cards().inventory().unit().size().bytes();
        long memory = card.memory().bytes();
        Isolation isolation =
                held.instances() > 0 ? Isolation.MIG : card.isolation().inForce();
        PodUse use = usage.pods().getOrDefault(new Part(card.id().uuid(), pod.namespace(), pod.name()), PodUse.UNKNOWN);
        return new PodOnCard(
                new Share(pod, units, whole, held.cores(), state.coreCap(holding.allocation())),
                node.name(),
                card.index(),
                whole ? memory : Math.min(memory, bytes),
                isolation,
                use,
                use.figure(ContainerFigure.UTILIZATION) != null || usage.equals(NodeUse.UNKNOWN)
                        ? null
                        : unknown(isolation, card.id().instance()),
                null);
    }

    /** The same pod, which its node does not start for that reason; null if it does. */
    public PodOnCard notStarted(@Nullable String why) {
        return new PodOnCard(share, node, card, allocatedBytes, isolation, use, unknown, why);
    }

    private static String unknown(Isolation isolation, boolean instance) {
        return instance || isolation == Isolation.MIG
                ? "The driver reports no utilization of programs on MIG instances."
                : isolation == Isolation.MPS
                        ? "Several containers have programs on the card, and with MPS the driver reports only what they"
                                + " compute together."
                        : "The driver does not report it, or the device plugin sees no processes.";
    }

    public PodRef pod() {
        return share.pod();
    }

    /** Memory that it uses; null if that is unknown. */
    public @Nullable Long usedBytes() {
        return use.figure(ContainerFigure.USED_BYTES);
    }

    /** For how long it has not computed there; null if that is unknown. */
    public @Nullable Long idleSeconds() {
        return use.figure(ContainerFigure.IDLE_SECONDS);
    }

    /** Allocated and not used; 0 if the usage is unknown. */
    public long unusedBytes() {
        @Nullable Long used = usedBytes();
        return used == null ? 0 : Math.max(0, allocatedBytes - used);
    }

    /** Used beyond what is allocated; 0 if the usage is unknown. */
    public long overBytes() {
        @Nullable Long used = usedBytes();
        return used == null || share.whole() ? 0 : Math.max(0, used - allocatedBytes);
    }

    @JsonProperty
    public boolean over() {
        return overBytes() > 0;
    }

    @JsonProperty
    public boolean idle() {
        @Nullable Long seconds = idleSeconds();
        return seconds != null && seconds >= IDLE.toSeconds();
    }

    /** The name of the pod without what its owner added to its own name: that of the owner, by Kubernetes' custom. */
    @JsonProperty
    public String workload() {
        Matcher owned = OWNED.matcher(pod().name());
        return owned.matches() ? owned.group(1) : pod().name();
    }
}
