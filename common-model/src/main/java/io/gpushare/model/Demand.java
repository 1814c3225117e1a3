package io.gpushare.model;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.selector.CardCondition;
import io.gpushare.model.selector.CardFact;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.selector.FactValue;
import io.gpushare.model.text.Printable;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a pod requests, by container, and the cards that it accepts. What follows for the cards is computed once: filter
 * compares it with the cards of thousands of nodes.
 *
 * <p>The containers of a pod share its cards, except those that request slots: each of them has as many cards as slots,
 * and they may be other cards than those of the next container.
 */
public final class Demand {
    private final List<ContainerDemand> containers;
    private final int split;
    private final CardSelector selector;
    private final Giver giver;
    private final Share total;
    private final Share share;
    private final List<Demand> parts;

    /** Who gives its cards. */
    private enum Giver {
        EXTENDER,
        /** kube-scheduler, by claims that request no more than this. */
        CLAIMS,
        /** The same, by claims that request more than this says. */
        CLAIMS_IN_PART,
        /** The same, where they tolerate taints of cards. */
        TOLERANT_CLAIMS
    }

    /**
     * A demand for the cards that the selector accepts.
     *
     * @param containers in the order in which they start, without those that request nothing
     * @param split the number of cards over which each container's memory is divided, the same cards for all of them
     */
    public Demand(List<ContainerDemand> containers, int split, CardSelector selector) {
        this(containers, split, selector, Giver.EXTENDER);
    }

    private Demand(List<ContainerDemand> containers, int split, CardSelector selector, Giver giver) {
        this.giver = giver;
        this.containers = List.copyOf(containers);
        this.selector = ofProfiles(this.containers, selector);
        this.total = peakShare(this.containers, ContainerDemand::role, ContainerDemand::request);
        this.split = slotted() ? mostShared(this.containers) : split;
        check();
        this.parts = slotted() && containers.size() > 1
                ? this.containers.stream().map(this::only).toList()
                : List.of();
        this.share = parts.isEmpty()
                ? total.hasPart() ? total.dividedBy(this.split) : Share.NONE
                : parts.stream().map(Demand::share).reduce(Share.NONE, Share::max);
    }

    /** The selector that also requires the profile of the instances that the containers take. */
    private static CardSelector ofProfiles(List<ContainerDemand> containers, CardSelector selector) {
        Set<String> profiles = containers.stream()
                .map(ContainerDemand::profile)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new));
        if (profiles.size() > 1) {
            throw new IllegalArgumentException(
                    "the pod requests MIG instances of the profiles " + profiles + ": use a pod for each profile");
        }
        CardSelector required = new CardSelector(profiles.stream()
                .map(profile -> new CardCondition(
                        CardFact.PROFILE, CardCondition.Test.IN, List.of(new FactValue.Profile(profile))))
                .toList());
        if (required.any()) {
            return selector;
        }
        CardSelector given = selector.ofInstances();
        return given.conditions().containsAll(required.conditions()) ? given : required.and(given);
    }

    private static int mostShared(List<ContainerDemand> containers) {
        return containers.stream()
                .map(ContainerDemand::request)
                .filter(Share::hasPart)
                .mapToInt(Share::slots)
                .reduce(1, Math::max);
    }

    /** A demand with all memory on one card, for any card. */
    public Demand(List<ContainerDemand> containers) {
        this(containers, 1, CardSelector.ANY);
    }

    private void check() {
        if (containers.isEmpty()) {
            throw new IllegalArgumentException("a demand has at least one container");
        }
        if (split < 1) {
            throw new IllegalArgumentException("memory can't be split over " + split + " cards");
        }
        Set<String> names = new HashSet<>();
        boolean apps = false;
        for (ContainerDemand container : containers) {
            if (!names.add(container.name())) {
                throw new IllegalArgumentException("container names of a pod are unique");
            }
            if (apps && container.role() != ContainerRole.APP) {
                throw new IllegalArgumentException("init containers and sidecars come before the apps");
            }
            apps = container.role() == ContainerRole.APP;
            if (instances() && container.request().instances() == 0) {
                throw new IllegalArgumentException("container " + Printable.quoted(container.name())
                        + " requests memory or cards, and another one MIG instances: use two pods");
            }
            for (ShareKind kind : ShareKind.PERCENTS) {
                if (split > 1 && !slotted() && kind.in(container.request()) > 0) {
                    throw new IllegalArgumentException("container " + Printable.quoted(container.name())
                            + " requests " + kind.in(container.request()) + " percent of the " + kind
                            + ", which is possible on one card only");
                }
            }
            if (!slotted() && !container.request().divisibleBy(split)) {
                throw new IllegalArgumentException("container " + Printable.quoted(container.name()) + " requests "
                        + container.request().units() + " units of memory on " + split
                        + " cards: request a multiple of " + split + ", so that each card gives the same");
            }
        }
    }

    public List<ContainerDemand> containers() {
        return containers;
    }

    public int split() {
        return split;
    }

    public CardSelector selector() {
        return selector;
    }

    /** The same demand of a pod's ResourceClaims. */
    public Demand claimed() {
        return new Demand(containers, split, selector, Giver.CLAIMS);
    }

    /** The same demand of claims that require more of the cards than it says, which kube-scheduler alone can tell. */
    public Demand claimedInPart() {
        return new Demand(containers, split, selector, Giver.CLAIMS_IN_PART);
    }

    /** The same of claims that tolerate taints, which kube-scheduler compares with those of the cards. */
    public Demand claimedWithTolerations() {
        return new Demand(containers, split, selector, Giver.TOLERANT_CLAIMS);
    }

    /** Whether cards that suffice for it may be others than those that its claims require. */
    public boolean inPart() {
        return giver == Giver.CLAIMS_IN_PART || tolerant();
    }

    /** Whether the taint of a card may be no obstacle. */
    public boolean tolerant() {
        return giver == Giver.TOLERANT_CLAIMS;
    }

    /** Whether ResourceClaims request it: only nodes that serve claims take it, and kube-scheduler alone places it. */
    public boolean byClaim() {
        return giver != Giver.EXTENDER;
    }

    /** Whether it may have its share on that card, also where it has shares on several cards. */
    public boolean mayShare(Card card) {
        return sharedCards() < 2 || card.joinsOthers();
    }

    /** The demand of one container alone, with the same split and selector. */
    public Demand only(ContainerDemand container) {
        return new Demand(List.of(container), split, selector, giver);
    }

    /** The most that its containers hold at one time, on all cards; of each kind at most the largest int. */
    public Share total() {
        return total;
    }

    /**
     * The most that its containers hold at one time of each card that they share; none for a pod of whole cards only.
     * Of a demand with several {@link #parts}, the most of any of them.
     */
    public Share share() {
        return share;
    }

    /** What it takes of each whole card or instance. */
    public Share wholeShare() {
        return slotted() ? Share.SLOTTED_CARD : instances() ? Share.INSTANCE : Share.WHOLE_CARD;
    }

    /** Whether its containers take MIG instances whole, and no cards. */
    public boolean instances() {
        return total.instances() > 0;
    }

    /** Whether its containers request slots. */
    public boolean slotted() {
        return total.slots() > 0;
    }

    /** The demands that are placed one after the other, each on cards of its own: itself, or one for each container. */
    public List<Demand> parts() {
        return parts.isEmpty() ? List.of(this) : parts;
    }

    /** Whether its containers share cards; if not, they need whole cards only. */
    public boolean shares() {
        return !share.isNone();
    }

    /** The number of cards that its containers, or those of one part, share; 0 for a pod of whole cards only. */
    public int sharedCards() {
        return shares() ? split : 0;
    }

    /** The number of whole cards or instances, beside those. */
    public int wholeCards() {
        return total.takenWhole();
    }

    /** The number of cards, shared and whole, that it needs at least. */
    public int cards() {
        return parts.isEmpty() ? sharedCards() + wholeCards() : Math.max(sharedCards(), wholeCards());
    }

    /**
     * Whether any open card will do, and the pod needs either memory on one card or whole cards. Most demands are
     * plain.
     */
    public boolean plain() {
        return selector.any()
                && !tolerant()
                && !slotted()
                && !instances()
                && (!shares() || (cards() == 1 && !share.hasPercents()));
    }

    /** The most that containers hold at one time, of each kind of share; at most the largest int. */
    static <C> Share peakShare(List<C> containers, Function<C, ContainerRole> role, Function<C, Share> share) {
        Share peak = Share.NONE;
        for (ShareKind kind : ShareKind.values()) {
            long amount = peak(containers, role, container -> kind.in(share.apply(container)));
            peak = peak.with(kind, (int) Math.min(Integer.MAX_VALUE, amount));
        }
        return peak;
    }

    /**
     * The most that containers hold at one time: each init container runs beside the sidecars before it, and the apps
     * run together beside all sidecars. Kubernetes sums the requests of a pod by the same rule.
     */
    public static <C> long peak(List<C> containers, Function<C, ContainerRole> role, ToLongFunction<C> amount) {
        long sidecars = 0;
        long apps = 0;
        long most = 0;
        for (C container : containers) {
            long requested = amount.applyAsLong(container);
            switch (role.apply(container)) {
                case INIT -> most = Math.max(most, Math.addExact(sidecars, requested));
                case SIDECAR -> sidecars = Math.addExact(sidecars, requested);
                case APP -> apps = Math.addExact(apps, requested);
            }
        }
        return Math.max(most, Math.addExact(sidecars, apps));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Demand that
                && split == that.split
                && giver == that.giver
                && containers.equals(that.containers)
                && selector.equals(that.selector);
    }

    @Override
    public int hashCode() {
        return Objects.hash(containers, split, selector, giver);
    }

    @Override
    public String toString() {
        return "Demand" + containers + (split == 1 ? "" : " on each of " + split + " cards")
                + (selector.any() ? "" : " where " + selector) + (byClaim() ? " by claims" : "");
    }
}
