package io.gpushare.plugin.allocation;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.Share;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.ledger.CardOrder;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.plugin.node.DeviceIdParser;
import io.gpushare.plugin.node.NodePod;
import io.gpushare.plugin.node.NodeSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides the cards of one container: those written on its pod, if they are its demand and can be had; for a pod of
 * another scheduler, on which nothing is written, the cards that the kubelet's devices name, or a place by the rules of
 * the ledger.
 */
public record CardSelection(NodeSnapshot picture, NodePod pod, ContainerDemand container) {
    /**
     * The cards.
     *
     * @param devices those that the kubelet wants to give; empty when it asks what it should give
     */
    public CardChoice among(List<DeviceId> devices) {
        return switch (pod.allocation()) {
            case Decoded.Malformed<Allocation>(String reason) -> refused(RefusalKind.MALFORMED, reason);
            case Decoded.Valid<Allocation>(Allocation allocation) -> asWritten(allocation);
            case Decoded.Absent<Allocation> _ -> unwritten(devices);
        };
    }

    private CardChoice asWritten(Allocation allocation) {
        if (!allocation.unit().equals(picture.inventory().unit())) {
            return refused(
                    RefusalKind.NOT_ITS_DEMAND,
                    "its cards were chosen in units of " + allocation.unit() + ", and this node counts in "
                            + picture.inventory().unit() + ": create the pod anew");
        }
        Optional<ContainerAllocation> own = allocation.container(container.name());
        if (own.isEmpty() || !own.get().total().equals(container.request())) {
            return refused(
                    RefusalKind.NOT_ITS_DEMAND,
                    "annotation " + AnnotationKeys.ALLOCATION + " does not say what container '" + container.name()
                            + "' asks for: leave that annotation to the scheduler");
        }
        Optional<CardChoice> unavailable = unavailable(own.get().visibleCards());
        if (unavailable.isPresent()) {
            return unavailable.get();
        }
        NodeCards others = picture.use().held().without(pod.ref().uid());
        return others.fits(allocation)
                ? new CardChoice.Chosen(own.get())
                : refused(
                        RefusalKind.CARD_IN_USE,
                        "the cards chosen for it (" + names(own.get().visibleCards())
                                + ") are in use by other pods: create the pod anew");
    }

    private Optional<CardChoice> unavailable(Set<CardId> cards) {
        for (CardId id : cards) {
            Optional<Card> card = picture.inventory().card(id);
            if (card.isEmpty()) {
                return Optional.of(refused(
                        RefusalKind.CARD_ABSENT,
                        "card " + id + ", chosen for it, is not on this node: create the pod anew"));
            }
            if (card.get().cordoned()) {
                return Optional.of(refused(
                        RefusalKind.CARD_CORDONED,
                        "card " + id + ", chosen for it, was cordoned since then: create the pod anew"));
            }
            if (card.get().health() instanceof Health.Unhealthy(String reason)) {
                return Optional.of(refused(
                        RefusalKind.CARD_ILL,
                        "card " + id + ", chosen for it, is ill (" + reason + "): create the pod anew"));
            }
        }
        return Optional.empty();
    }

    private CardChoice unwritten(List<DeviceId> devices) {
        NodeCards others = picture.use().written().without(pod.ref().uid());
        List<ContainerAllocation> own = picture.use()
                .written()
                .allocationOf(pod.ref().uid())
                .map(Allocation::containers)
                .orElse(List.of());
        return named(devices)
                .or(() -> besideItsOthers(own))
                .filter(gets -> others.fits(beside(own, gets)))
                .or(() -> own.isEmpty() ? placed(others) : Optional.empty())
                .<CardChoice>map(CardChoice.Chosen::new)
                .orElseGet(() -> alone(picture.use().written()));
    }

    /** A place for this container, wherever those before it are. */
    private CardChoice alone(NodeCards cards) {
        return switch (cards.place(demand().only(container), CardOrder.BINPACK)) {
            case Placement.Placed(Allocation allocation) ->
                new CardChoice.Chosen(allocation.containers().getFirst());
            case Placement.Refused(var why) -> refused(RefusalKind.NO_ROOM, why.sentence());
        };
    }

    /** This container's part of a place for its whole pod, so that those after it find room beside it. */
    private Optional<ContainerAllocation> placed(NodeCards cards) {
        return cards.place(demand(), CardOrder.BINPACK) instanceof Placement.Placed placed
                ? placed.allocation().container(container.name())
                : Optional.empty();
    }

    /** What the pod asks for: it was found by that. */
    private Demand demand() {
        return pod.demand().valid().orElseGet(() -> new Demand(List.of(container)));
    }

    private Allocation beside(List<ContainerAllocation> own, ContainerAllocation gets) {
        List<ContainerAllocation> all = new ArrayList<>(own);
        all.removeIf(each -> each.name().equals(gets.name()));
        all.add(gets);
        all.sort(Comparator.comparing(each -> each.role() == ContainerRole.APP));
        return new Allocation(picture.inventory().unit(), all);
    }

    /** What the devices name, where that is what is asked for: an even part on each card, or as many cards, of the kind. */
    private Optional<ContainerAllocation> named(List<DeviceId> devices) {
        boolean whole = container.request().wholeCards() > 0;
        Map<CardId, Share> shares = whole ? DeviceIdParser.whole(devices) : DeviceIdParser.memory(devices);
        boolean asked = whole
                ? shares.size() == container.request().wholeCards()
                : !shares.isEmpty() && shares.equals(split(shares.keySet()));
        boolean ofTheKind = devices.stream()
                .allMatch(device -> picture.inventory()
                        .card(device.card())
                        .filter(card -> demand().selector()
                                .matches(card, picture.inventory().driver()))
                        .isPresent());
        return asked && ofTheKind ? Optional.of(gets(shares)) : Optional.empty();
    }

    /** The cards on which other containers of the pod have their memory: they share them. */
    private Optional<ContainerAllocation> besideItsOthers(List<ContainerAllocation> own) {
        Set<CardId> cards = own.stream()
                .filter(each -> each.total().wholeCards() == 0)
                .flatMap(each -> each.visibleCards().stream())
                .collect(Collectors.toSet());
        return container.request().wholeCards() > 0 || cards.size() != demand().split()
                ? Optional.empty()
                : Optional.of(gets(split(cards)));
    }

    /** The container's memory on these cards if they are as many as it is split over; nothing on others. */
    private Map<CardId, Share> split(Set<CardId> cards) {
        int split = demand().split();
        return cards.size() != split
                ? Map.of()
                : cards.stream()
                        .collect(Collectors.toMap(
                                card -> card, card -> container.request().dividedBy(split)));
    }

    private ContainerAllocation gets(Map<CardId, Share> shares) {
        return new ContainerAllocation(container.name(), container.role(), shares);
    }

    private CardChoice refused(RefusalKind why, String reason) {
        return new CardChoice.Refused(why, "pod " + pod.ref() + ", container '" + container.name() + "': " + reason);
    }

    private static String names(Set<CardId> cards) {
        return String.join(", ", cards.stream().map(CardId::uuid).toList());
    }
}
