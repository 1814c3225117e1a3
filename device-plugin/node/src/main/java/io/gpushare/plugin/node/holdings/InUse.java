package io.gpushare.plugin.node.holdings;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A card is offered by one offer at a time: one that somebody has by another offer than the active one is in use, and
 * is not offered. Only its own offer counts what that holder has. Neither is one on which somebody still computes who
 * has ended, and whom no offer counts any more, nor that of a claim whose pods are gone: kube-scheduler may have given
 * its card to the next one. This is the whole rule. A node moves from one offer
 * to the other without a drain, card by card, because of the following.
 *
 * <ol>
 *   <li>One process of a node offers its cards and answers the kubelet, by one offer: the holder of the node's lock.
 *   <li>What somebody has by the other offer is read after that lock was taken, and before anything is offered. It can
 *       only become less. By the device plugin: no process answers {@code Allocate} any more, and a pod that the
 *       kubelet had begun to admit is bound already, so it may have any card until it is recorded. By claims: a claim
 *     has its
 *       cards once its file is written, and no further claim is prepared. A claim that kube-scheduler allocated, and
 *       that is not prepared, has nothing: it is refused.
 *   <li>A card in use is in no slice and has no healthy device but those that are allocated, and neither
 *       {@code NodePrepareResources} nor {@code Allocate} gives it. What can't be read counts as all cards.
 *   <li>The slices of a node that offers its cards by the device plugin are deleted before it offers the first one.
 *       One that appears later is deleted as well; what it allocates is not prepared.
 * </ol>
 *
 * @param holders the cards of each holder by its name; none where it is unknown which: it may have any
 * @param stillComputing the cards of each that has ended and keeps them, or computes there, by its name
 */
public record InUse(Map<String, Set<CardId>> holders, Map<String, Set<CardId>> stillComputing) {
    /** Nobody has a card by another offer. */
    public static final InUse NONE = new InUse(Map.of());

    private static final int MOST_NAMES = 3;

    public InUse {
        holders = Map.copyOf(holders);
        stillComputing = Map.copyOf(stillComputing);
    }

    /** Nobody computes who has ended. */
    public InUse(Map<String, Set<CardId>> holders) {
        this(holders, Map.of());
    }

    /** The rule, for a node on which that offer is active. */
    public static InUse of(Holdings holdings, Offer active) {
        Map<String, Set<CardId>> found = new HashMap<>();
        for (Offer offer : Offer.values()) {
            if (offer != active) {
                OfferHoldings others = holdings.by(offer);
                others.mayHaveAny().forEach(name -> found.put(name, Set.of()));
                others.holders().stream()
                        .filter(holder -> !holder.kept().isEmpty())
                        .forEach(holder -> found.merge(holder.name(), holder.kept(), InUse::both));
            }
        }
        Map<String, Set<CardId>> ended = new HashMap<>(holdings.stillComputing());
        holdings.by(active).left().forEach((name, cards) -> ended.merge(name, cards, InUse::both));
        return new InUse(found, ended);
    }

    /** One name may be of two claims, the second made after the first was deleted. */
    private static Set<CardId> both(Set<CardId> one, Set<CardId> other) {
        Set<CardId> both = new HashSet<>(one);
        both.addAll(other);
        return one.isEmpty() || other.isEmpty() ? Set.of() : both;
    }

    /** The cards in use among these, each with who has it, as a few names. A MIG instance of such a card is one too. */
    public Map<CardId, String> among(Collection<Card> cards) {
        Map<CardId, String> inUse = new HashMap<>();
        cards.forEach(card -> names(holders(card)).ifPresent(names -> inUse.put(card.id(), names)));
        return inUse;
    }

    private List<String> holders(Card card) {
        Map<String, Set<CardId>> all = new TreeMap<>(holders);
        all.putAll(stillComputing);
        return all.entrySet().stream()
                .filter(holder -> holder.getValue().isEmpty()
                        || holder.getValue().contains(card.id())
                        || holder.getValue().contains(card.physical()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Whether all of these cards are held by another offer. */
    public boolean holdsAll(Collection<Card> cards) {
        return !cards.isEmpty() && new InUse(holders).among(cards).size() == cards.size();
    }

    /** Everybody who has any by another offer, as a few names; empty if nobody has. */
    public Optional<String> names() {
        return names(holders.keySet().stream().sorted().toList());
    }

    private static Optional<String> names(List<String> holders) {
        List<String> names = new ArrayList<>(holders.subList(0, Math.min(MOST_NAMES, holders.size())));
        if (holders.size() > MOST_NAMES) {
            names.add("and " + (holders.size() - MOST_NAMES) + " more");
        }
        return Optional.of(String.join(", ", names)).filter(text -> !text.isEmpty());
    }
}
