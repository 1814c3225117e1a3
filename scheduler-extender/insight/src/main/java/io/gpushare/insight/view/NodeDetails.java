package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.report.Phrases;
import io.gpushare.insight.waste.CardUsage.CardUse;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.PodOnCard;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One node in full: each card, its pods by name, and the measured usage where it is known. JSON and every table of
 * nodes, cards or pods are made from it.
 *
 * @param unusable why it takes no new pod; null if it does
 * @param servesClaims whether pods get its cards by claims
 * @param offersNone whether its device plugin runs and offers no cards
 * @param holdsPods whether pods hold cards of it, known ones or not
 * @param measured whether its device plugin reports usage
 * @param pending units of each bound pod whose card is unknown
 */
public record NodeDetails(
        String name,
        @Nullable String unusable,
        @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean servesClaims,
        long unitMiB,
        @Nullable String address,
        List<OneCard> cards,
        @JsonIgnore boolean offersNone,
        @JsonIgnore boolean holdsPods,
        @JsonIgnore boolean measured,
        @JsonIgnore Map<PodRef, Long> pending) {
    public NodeDetails {
        cards = List.copyOf(cards);
        pending = Map.copyOf(pending);
    }

    /**
     * One card.
     *
     * @param reservedMiB what the driver reserves of its memory, where that is known
     * @param headroomMiB what is kept of its memory, which is therefore not cut into units
     * @param use what is measured of it
     * @param instance whether it is a MIG instance
     * @param freeUnits what new pods may have
     * @param allocatedCores in percent; also where they are not limited
     */
    public record OneCard(
            int index,
            String uuid,
            String model,
            long memoryMiB,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) long reservedMiB,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) long headroomMiB,
            int units,
            int allocatedUnits,
            @JsonUnwrapped CardStates states,
            @JsonUnwrapped CardUse use,

            @JsonIgnoreProperties({"workload", "node", "card", "allocatedBytes", "over", "idle"})
            List<PodOnCard> pods,

            @JsonIgnore boolean instance,
            @JsonIgnore int freeUnits,
            @JsonIgnore int allocatedCores) {
        private static OneCard of(CardState state, List<PodOnCard> pods, NodeUse usage, boolean offered) {
            String uuid = state.card().id().uuid();
            return new OneCard(
                    state.card().index(),
                    uuid,
                    state.card().title(),
                    state.card().memory().mib(),
                    state.card().details().reserved().mib(),
                    state.card().isolation().headroom().mib(),
                    state.capacity().units(),
                    state.occupied().units(),
                    CardStates.of(state),
                    usage.cards().getOrDefault(uuid, CardUse.UNKNOWN),
                    pods,
                    state.card().profile() != null,
                    offered ? state.free().units() : 0,
                    state.occupied().cores());
        }
    }

    /**
     * The nodes in their order, without what is said of single pods.
     *
     * @param usage what is measured, by node
     * @param pending units of each bound pod whose card is unknown, by node
     */
    public static List<NodeDetails> of(
            List<NodeView> nodes, Map<String, NodeUse> usage, Map<String, Map<PodRef, Long>> pending) {
        return of(nodes, usage, pending, Map.of());
    }

    /**
     * The nodes in their order.
     *
     * @param usage what is measured, by node
     * @param pending units of each bound pod whose card is unknown, by node
     * @param notStarted why nodes do not start pods, by the pod's uid
     */
    public static List<NodeDetails> of(
            List<NodeView> nodes,
            Map<String, NodeUse> usage,
            Map<String, Map<PodRef, Long>> pending,
            Map<String, String> notStarted) {
        return nodes.stream()
                .map(node -> of(node, usage.get(node.name()), pending.getOrDefault(node.name(), Map.of()), notStarted))
                .toList();
    }

    private static NodeDetails of(
            NodeView node, @Nullable NodeUse measured, Map<PodRef, Long> pending, Map<String, String> notStarted) {
        NodeUse usage = Objects.requireNonNullElse(measured, NodeUse.UNKNOWN);
        Map<CardId, List<PodOnCard>> pods = PodOnCard.byCard(node, usage);
        pods.replaceAll((_, on) -> on.stream()
                .map(each -> each.notStarted(notStarted.get(each.pod().uid())))
                .toList());
        @Nullable String unusable = Phrases.unusable(node);
        return new NodeDetails(
                node.name(),
                unusable,
                Reason.SERVES_CLAIMS.equals(node.unusable()),
                node.cards().inventory().unit().size().mib(),
                node.address(),
                node.cards().cards().stream()
                        .map(card -> OneCard.of(
                                card, pods.getOrDefault(card.card().id(), List.of()), usage, unusable == null))
                        .toList(),
                node.cards().inventory().noCards() != null,
                !node.cards().holdings().isEmpty(),
                measured != null,
                pending);
    }

    /** The units of all bound pods whose card is unknown. */
    public long pendingUnits() {
        return pending.values().stream().mapToLong(Long::longValue).sum();
    }

    public MemoryUnit unit() {
        return MemoryUnit.ofMib(unitMiB);
    }

    /** The units that are allocated on all cards. */
    public long allocatedUnits() {
        return cards.stream().mapToLong(OneCard::allocatedUnits).sum();
    }

    /** The units of all cards. */
    public long units() {
        return cards.stream().mapToLong(OneCard::units).sum();
    }

    /** The most units that are free on one card. */
    public int freeOnOneCard() {
        return cards.stream().mapToInt(OneCard::freeUnits).max().orElse(0);
    }

    /** What is used of all cards; null if unknown. */
    public @Nullable Long usedBytes() {
        return cards.stream()
                .flatMap(card -> Stream.ofNullable(card.use().usedBytes()))
                .reduce(Long::sum)
                .orElse(null);
    }

    /** What is allocated on all cards and measured as unused. */
    public long unusedBytes() {
        return cards.stream()
                .flatMap(card -> card.pods().stream())
                .mapToLong(PodOnCard::unusedBytes)
                .sum();
    }
}
