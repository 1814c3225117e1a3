package io.gpushare.plugin.allocate.allocation;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Obstacle;
import io.gpushare.model.ledger.Placement;
import io.gpushare.plugin.allocate.snapshot.DeviceIdParser;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.container.RefusalKind;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Selects the cards of one container: the annotated ones, if they match its demand and are available. A pod of another
 * scheduler has no annotation; it gets the cards of the kubelet's devices, or a placement of the node's ledger.
 */
public record CardSelection(NodeSnapshot snapshot, NodePod pod, ContainerDemand container) {
    private static final int MOST_NAMES = 3;

    /**
     * The cards of the container.
     *
     * @param devices those that the kubelet has chosen; empty in GetPreferredAllocation, where it has chosen none
     */
    public Outcome<ContainerAllocation> among(List<DeviceId> devices) {
        return switch (pod.written(snapshot.inventory())) {
            case Decoded.Malformed<Allocation>(String reason) -> refused(RefusalKind.MALFORMED, reason);
            case Decoded.Valid<Allocation>(Allocation allocation) -> annotated(allocation);
            case Decoded.Absent<Allocation> _ ->
                given().map(own -> ifAvailable(own, allocation(own))).orElseGet(() -> unannotated(devices));
        };
    }

    /**
     * What the container got in the kubelet's call for its memory or its cores: the other call is for the same card.
     */
    private Optional<ContainerAllocation> given() {
        return !container.request().hasPercents() || container.request().slots() > 0
                ? Optional.empty()
                : snapshot.response(pod.ref(), container)
                        .filter(own -> own.total().equals(container.request()));
    }

    private Allocation allocation(ContainerAllocation own) {
        return new Allocation(snapshot.inventory().unit(), List.of(own));
    }

    private Outcome<ContainerAllocation> annotated(Allocation allocation) {
        if (!allocation.unit().equals(snapshot.inventory().unit())) {
            return refused(
                    RefusalKind.DEMAND_DIFFERS,
                    "its cards were allocated in units of " + allocation.unit() + ", but this node uses units of "
                            + snapshot.inventory().unit() + ": recreate the pod");
        }
        Optional<ContainerAllocation> own = allocation.container(container.name());
        if (own.isEmpty() || !requested(own.get())) {
            Optional<ShareKind> percent = own.map(ContainerAllocation::total).flatMap(this::differingPercent);
            return refused(
                    RefusalKind.DEMAND_DIFFERS,
                    "annotation " + AnnotationKeys.ALLOCATION + " does not match the requests of container '"
                            + container.name()
                            + percent.map(kind -> "' for " + kind + ": the extender needs the same " + kind.option()
                                            + " as the device plugin")
                                    .orElse("': only the scheduler may write that annotation"));
        }
        if (given().filter(first -> !first.equals(own.get())).isPresent()) {
            return refused(
                    RefusalKind.DEMAND_DIFFERS,
                    "annotation " + AnnotationKeys.ALLOCATION
                            + " was changed between the kubelet's calls for its memory"
                            + " and for its " + percents(container.request())
                            + ": only the scheduler may write that annotation");
        }
        return ifAvailable(own.get(), allocation);
    }

    /** The percentage that alone differs from the container's request. */
    private Optional<ShareKind> differingPercent(Share total) {
        return total.withoutPercents().equals(container.request().withoutPercents())
                ? ShareKind.PERCENTS.stream()
                        .filter(kind -> kind.in(total) != kind.in(container.request()))
                        .findFirst()
                : Optional.empty();
    }

    private static String percents(Share share) {
        return ShareKind.PERCENTS.stream()
                .filter(kind -> kind.in(share) > 0)
                .map(ShareKind::toString)
                .collect(Collectors.joining(" and "));
    }

    /** Whether that is what the container requests, also of the memory of each card. */
    private boolean requested(ContainerAllocation own) {
        return container.givenBy(own)
                && (container.request().part() == 0
                        || onEach(own.visibleCards()).equals(own.shares()));
    }

    /** The container's cards, if every card of its pod gives its share: without the others the pod is of no use. */
    private Outcome<ContainerAllocation> ifAvailable(ContainerAllocation own, Allocation ofPod) {
        NodeCards others = snapshot.allocations().assigned().without(pod.ref().uid());
        return others.obstacles(ofPod).entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(card -> refused(own, ofPod, card.getKey(), card.getValue()))
                .orElseGet(() -> new Outcome.Of<>(own));
    }

    private Outcome<ContainerAllocation> refused(
            ContainerAllocation own, Allocation ofPod, CardId id, Obstacle obstacle) {
        Optional<Card> card = snapshot.inventory().card(id);
        CardIsolation isolation = card.map(Card::isolation).orElse(CardIsolation.NONE);
        String unhealthy =
                card.map(Card::health).orElse(new Health.Healthy()) instanceof Health.Unhealthy(String why) ? why : "";
        return switch (obstacle.cause()) {
            case ABSENT -> ofCard(RefusalKind.CARD_ABSENT, id, "is not on this node");
            case IN_USE ->
                ofCard(
                        RefusalKind.CARD_IN_USE,
                        id,
                        "is in use by " + card.map(Card::inUseBy).orElse("others"));
            case CORDONED -> ofCard(RefusalKind.CARD_CORDONED, id, "was cordoned since then");
            case UNHEALTHY -> ofCard(RefusalKind.CARD_UNHEALTHY, id, "is unhealthy (" + unhealthy + ")");
            case NO_ISOLATION -> ofCard(RefusalKind.NO_ISOLATION, id, "offers no memory (" + isolation.missing() + ")");
            case NOT_LIMITED -> ofCard(RefusalKind.NO_ISOLATION, id, unlimited(ofPod.shareOn(id), isolation.inForce()));
            case OTHER_CARD -> ofCard(RefusalKind.NO_FREE_CAPACITY, id, "does not have as much");
            case OCCUPIED ->
                refused(
                        RefusalKind.CARD_IN_USE,
                        "the cards allocated to the pod (" + names(own.visibleCards()) + ") are in use by other pods"
                                + holders(id).map(pods -> " (" + pods + ")").orElse("") + ": recreate the pod");
        };
    }

    /** The other pods that have that card, as a few names. */
    private Optional<String> holders(CardId card) {
        return Optional.of(snapshot.allocations().assigned().without(pod.ref().uid()).holdings().stream()
                        .filter(holding -> holding.allocation().cards().contains(card))
                        .map(holding -> holding.holder().toString())
                        .distinct()
                        .sorted()
                        .limit(MOST_NAMES)
                        .collect(Collectors.joining(", ")))
                .filter(pods -> !pods.isEmpty());
    }

    private static String unlimited(Share share, Isolation inForce) {
        return ShareKind.PERCENTS.stream()
                .filter(kind -> kind.in(share) > 0)
                .min(Comparator.comparing(inForce::limits))
                .map(kind -> "does not limit " + kind + " (" + inForce.lacks(kind) + ")")
                .orElseThrow();
    }

    private Outcome<ContainerAllocation> ofCard(RefusalKind kind, CardId card, String is) {
        return refused(kind, "card " + card + ", allocated to the pod, " + is + ": recreate the pod");
    }

    private Outcome<ContainerAllocation> unannotated(List<DeviceId> devices) {
        NodeCards others = snapshot.allocations().reserved().without(pod.ref().uid());
        List<ContainerAllocation> own = snapshot.allocations()
                .reserved()
                .allocationOf(pod.ref().uid())
                .map(Allocation::containers)
                .orElse(List.of());
        return named(devices)
                .or(() -> besideItsOthers(own))
                .filter(gets -> others.fits(beside(own, gets)))
                .or(() -> own.isEmpty() ? placed(others) : Optional.empty())
                .<Outcome<ContainerAllocation>>map(Outcome.Of::new)
                .orElseGet(() -> alone(snapshot.allocations().reserved()));
    }

    /** A placement of this container alone, wherever the pod's earlier containers are. */
    private Outcome<ContainerAllocation> alone(NodeCards cards) {
        return switch (cards.place(demand().only(container))) {
            case Placement.Placed(Allocation allocation) ->
                new Outcome.Of<>(allocation.containers().getFirst());
            case Placement.Refused(var why) -> refused(RefusalKind.NO_FREE_CAPACITY, why.sentence());
        };
    }

    /** This container's part of a placement of its whole pod, so that later containers fit as well. */
    private Optional<ContainerAllocation> placed(NodeCards cards) {
        return cards.place(demand()) instanceof Placement.Placed placed
                ? placed.allocation().container(container.name())
                : Optional.empty();
    }

    /** The demand of the pod. */
    private Demand demand() {
        return pod.demand().valid().orElseGet(() -> new Demand(List.of(container)));
    }

    private Allocation beside(List<ContainerAllocation> own, ContainerAllocation added) {
        List<ContainerAllocation> all = new ArrayList<>(own);
        all.removeIf(each -> each.name().equals(added.name()));
        all.add(added);
        all.sort(Comparator.comparing(each -> each.role() == ContainerRole.APP));
        return new Allocation(snapshot.inventory().unit(), all);
    }

    /**
     * The cards of the devices, if they match the demand: the same amount on each card, on cards that the pod selects.
     */
    private Optional<ContainerAllocation> named(List<DeviceId> devices) {
        boolean slotted = container.request().slots() > 0;
        boolean whole = container.request().takenWhole() > 0 && !slotted;
        Map<CardId, Share> shares = whole ? DeviceIdParser.whole(devices) : DeviceIdParser.parts(devices);
        boolean matching = whole
                ? shares.size() == container.request().takenWhole()
                : !shares.isEmpty()
                        && (slotted
                                ? shares.size() == container.request().slots()
                                : matches(shares, devices.getFirst().kind()));
        boolean selected = devices.stream()
                .allMatch(device -> snapshot.inventory()
                        .card(device.card())
                        .filter(card -> demand().selector()
                                .matches(card, snapshot.inventory().driver()))
                        .isPresent());
        return matching && selected
                ? Optional.of(allocation(whole ? shares : slotted ? onEach(shares.keySet()) : split(shares.keySet())))
                : Optional.empty();
    }

    /** Whether these are the container's shares, as far as devices of one kind tell. */
    private boolean matches(Map<CardId, Share> shares, ShareKind kind) {
        Map<CardId, Share> own = new HashMap<>(split(shares.keySet()));
        own.replaceAll((_, share) -> kind.partOf(share));
        return shares.equals(own);
    }

    /** The cards on which other containers of the pod have memory: the containers of a pod share its cards. */
    private Optional<ContainerAllocation> besideItsOthers(List<ContainerAllocation> own) {
        Set<CardId> cards = own.stream()
                .filter(each -> each.total().takenWhole() == 0)
                .flatMap(each -> each.visibleCards().stream())
                .collect(Collectors.toSet());
        return container.request().takenWhole() > 0
                        || container.request().slots() > 0
                        || cards.size() != demand().split()
                ? Optional.empty()
                : Optional.of(allocation(split(cards)));
    }

    /** The container's memory, split over these cards; empty if the demand is for another number of cards. */
    private Map<CardId, Share> split(Set<CardId> cards) {
        int split = demand().split();
        return cards.size() != split
                ? Map.of()
                : cards.stream()
                        .collect(Collectors.toMap(
                                card -> card, card -> container.request().dividedBy(split)));
    }

    /** What the container requests of each of these cards. */
    private Map<CardId, Share> onEach(Set<CardId> cards) {
        Share each = container.onEach(cards.size());
        return cards.stream()
                .collect(Collectors.toMap(
                        card -> card, card -> snapshot.inventory().on(card, each)));
    }

    private ContainerAllocation allocation(Map<CardId, Share> shares) {
        return new ContainerAllocation(container.name(), container.role(), shares);
    }

    private Outcome<ContainerAllocation> refused(RefusalKind kind, String reason) {
        return new Outcome.Refused<>(
                kind, "pod " + pod.ref() + ", container '" + container.name() + "': " + reason, Optional.of(pod.ref()));
    }

    private static String names(Set<CardId> cards) {
        return String.join(", ", cards.stream().map(CardId::uuid).toList());
    }
}
