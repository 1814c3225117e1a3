package io.gpushare.plugin.node.holdings;

import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Who has what of which card on this node, at one moment, whichever protocol gave it: what limits, measures, shows or
 * frees reads this, and no protocol.
 */
public final class Holdings {
    private final NodeCards cards;
    private final Collection<NodePod> pods;
    private final Map<Offer, OfferHoldings> offers;
    private final Map<String, Set<CardId>> stillComputing;
    private final List<Holder> holders;

    private Holdings(
            NodeCards cards,
            Collection<NodePod> pods,
            Map<Offer, OfferHoldings> offers,
            Map<String, Set<CardId>> stillComputing) {
        this.cards = cards;
        this.pods = pods;
        this.offers = offers;
        this.stillComputing = Map.copyOf(stillComputing);
        this.holders = offers.values().stream()
                .flatMap(each -> each.holders().stream())
                .toList();
    }

    /**
     * Everything that is held on a node.
     *
     * @param pods of the node, as the API reports them
     * @param stillComputing the cards of each that has ended and still computes there, by its name
     */
    public static Holdings of(
            Inventory inventory,
            Collection<NodePod> pods,
            Map<Offer, OfferHoldings> offers,
            Map<String, Set<CardId>> stillComputing) {
        Map<Offer, OfferHoldings> all = new EnumMap<>(Offer.class);
        for (Offer offer : Offer.values()) {
            all.put(offer, offers.getOrDefault(offer, OfferHoldings.NOT_READ));
        }
        NodeCards cards = NodeCards.of(inventory);
        for (OfferHoldings each : all.values()) {
            for (Holder holder : each.holders()) {
                if (holder.allocation().isPresent()) {
                    cards = cards.with(holder.ref(), holder.allocation().get());
                }
            }
        }
        return new Holdings(cards, List.copyOf(pods), all, stillComputing);
    }

    /** The cards, with what is allocated on each. */
    public NodeCards cards() {
        return cards;
    }

    public Inventory inventory() {
        return cards.inventory();
    }

    /** The pods of the node, as the API reports them, also those without a card. */
    public Collection<NodePod> pods() {
        return pods;
    }

    /** All holders, pods before claims. */
    public List<Holder> holders() {
        return holders;
    }

    /** Who has cards by that offer. */
    public OfferHoldings by(Offer offer) {
        return offers.getOrDefault(offer, OfferHoldings.NOT_READ);
    }

    /** The cards of each that has ended and still computes there, by its name. */
    public Map<String, Set<CardId>> stillComputing() {
        return stillComputing;
    }

    /** Whether every holder of a share is known: before that, a card may look unused. */
    public boolean complete() {
        return offers.values().stream().allMatch(OfferHoldings::complete);
    }

    /** The holder of that UID, if it has shares of cards. */
    public Optional<Holder> holder(String uid) {
        return holders.stream()
                .filter(each ->
                        each.ref().uid().equals(uid) && each.allocation().isPresent())
                .findFirst();
    }

    /** The holders that have a share of that card. */
    public Stream<Holder> on(CardId card) {
        return holders.stream()
                .filter(each -> each.allocation()
                        .filter(all -> all.cards().contains(card))
                        .isPresent());
    }

    /** The containers that use that part of what the holder has; one of its name for a holder that is not known. */
    public List<Holder.User> users(PodRef holder, String part) {
        return holder(holder.uid())
                .map(known -> known.users(part))
                .orElseGet(() -> List.of(new Holder.User(holder, part)));
    }

    /** The UIDs of whatever is there: pods that have not ended, and claims. */
    public Set<String> present() {
        return Stream.concat(
                        pods.stream().filter(pod -> !pod.ended()).map(NodePod::ref),
                        holders.stream().filter(holder -> !holder.isPod()).map(Holder::ref))
                .map(PodRef::uid)
                .collect(Collectors.toSet());
    }
}
