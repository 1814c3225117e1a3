package io.gpushare.model.card;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Every card of one node with its facts and health, at one moment, in the order of the cards' indices.
 *
 * @param unit the amount of memory that one memory device of this node represents
 * @param driver null while no driver responds
 * @param links how the cards are linked, as far as the driver reports it
 * @param noCards why no card is offered; null if cards are, or each card has its own reason
 * @param beside what each card offers beside its memory: all of its cores in percent, and slots, as far as the node
 *     counts these
 */
public record Inventory(
        MemoryUnit unit,
        @Nullable Driver driver,
        List<Card> cards,
        CardLinks links,
        @Nullable NoCards noCards,
        Share beside) {
    /** The version of the node's driver and the CUDA version that it supports, as NVIDIA writes them. */
    public record Driver(String version, String cuda) {
        /** What a driver does not report. */
        public static final String UNKNOWN = "unknown";

        private static final Pattern MAJOR = Pattern.compile("[0-9]{1,6}");

        /** The first number of the driver's version; 0 if it does not begin with one. */
        public int major() {
            Matcher number = MAJOR.matcher(version);
            return number.lookingAt() ? Integer.parseInt(number.group()) : 0;
        }
    }

    public Inventory {
        cards = cards.stream().sorted(Comparator.comparingInt(Card::index)).toList();
        Map<CardId, Card> known = new HashMap<>();
        for (Card card : cards) {
            if (known.put(card.id(), card) != null) {
                throw new IllegalArgumentException("card " + card.id() + " is listed twice");
            }
        }
    }

    /** An inventory without known links. */
    public Inventory(MemoryUnit unit, @Nullable Driver driver, List<Card> cards) {
        this(unit, driver, cards, CardLinks.UNKNOWN, null);
    }

    /** An inventory of a node that offers nothing beside memory. */
    public Inventory(
            MemoryUnit unit, @Nullable Driver driver, List<Card> cards, CardLinks links, @Nullable NoCards noCards) {
        this(unit, driver, cards, links, noCards, Share.NONE);
    }

    /** A node without cards. */
    public static Inventory empty(MemoryUnit unit) {
        return new Inventory(unit, null, List.of());
    }

    /** The same cards with these links. */
    public Inventory withLinks(CardLinks changed) {
        return new Inventory(unit, driver, cards, changed, noCards, beside);
    }

    /** The same cards, which are not offered for that reason; null if they are. */
    public Inventory withNoCards(@Nullable NoCards why) {
        return new Inventory(unit, driver, cards, links, why, beside);
    }

    /** Whether the node offers its cards by claims. */
    public boolean servesClaims() {
        return noCards != null && noCards.cause() == NoCards.Cause.SERVES_CLAIMS;
    }

    /** The same cards, of which exactly these are cordoned, with the MIG instances of each. */
    public Inventory withCordoned(Set<CardId> cordoned) {
        return withCards(card -> card.withCordoned(cordoned.contains(card.id()) || cordoned.contains(card.physical())));
    }

    /** The same cards, of which exactly these are held. */
    public Inventory withHeld(Set<CardId> held) {
        return withCards(card -> card.withHeld(held.contains(card.id())));
    }

    /** The same cards as if all of them were healthy, and accepted new pods. */
    public Inventory repaired() {
        return withCards(card -> card.withHealth(new Health.Healthy())
                .withCordoned(false)
                .withHeld(false)
                .withInUse(null)
                .withTaint(null)
                .withForeign(new Memory(0)));
    }

    /** The same cards, of which exactly these are in use by those whose names the map has. */
    public Inventory withInUse(Map<CardId, String> inUse) {
        return withCards(card -> card.withInUse(inUse.get(card.id())));
    }

    /** The same cards, of which exactly these are tainted, each as the map says. */
    public Inventory withTaints(Map<CardId, String> taints) {
        return withCards(card -> card.withTaint(taints.get(card.id())));
    }

    /** The same cards, of which processes use that much memory to which nothing of it is allocated. */
    public Inventory withForeign(Map<CardId, Memory> foreign) {
        return withCards(card -> card.withForeign(foreign.getOrDefault(card.id(), new Memory(0))));
    }

    /** The same cards, each with its isolation; cards that the map lacks keep theirs. */
    public Inventory withIsolation(Map<CardId, CardIsolation> isolation) {
        return withCards(card -> card.withIsolation(isolation.getOrDefault(card.id(), card.isolation())));
    }

    /** The same cards, each of which offers that beside its memory. */
    public Inventory withBeside(Share offered) {
        return new Inventory(unit, driver, cards, links, noCards, offered);
    }

    private Inventory withCards(UnaryOperator<Card> change) {
        return new Inventory(unit, driver, cards.stream().map(change).toList(), links, noCards, beside);
    }

    public Optional<Card> card(CardId id) {
        return cards.stream().filter(card -> card.id().equals(id)).findFirst();
    }

    /** That share on that card, a percentage of its memory in units; a card that is not here leaves it as it is. */
    public Share on(CardId id, Share share) {
        return card(id).map(card -> share.on(capacityOf(card))).orElse(share);
    }

    /**
     * The capacity of that card: the memory that it offers, in units, or the whole card or instance, and what it offers
     * beside.
     */
    public Share capacityOf(Card card) {
        return Share.memory(unit.unitsIn(card.offeredMemory()))
                .plus(card.id().whole())
                .plus(beside);
    }
}
