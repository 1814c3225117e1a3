package io.gpushare.model;

import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.text.Printable;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongToIntFunction;
import java.util.function.ToLongFunction;

/**
 * What a pod requests, by container, and the cards that it accepts.
 *
 * @param containers in the order in which they start, without those that request nothing
 * @param split the number of cards over which each container's memory is divided, the same cards for all of them
 * @param selector the cards that the pod accepts
 */
public record Demand(List<ContainerDemand> containers, int split, CardSelector selector) {
    public Demand {
        containers = List.copyOf(containers);
        Objects.requireNonNull(selector);
        if (containers.isEmpty()) {
            throw new IllegalArgumentException("a demand has at least one container");
        }
        if (containers.stream().map(ContainerDemand::name).distinct().count() != containers.size()) {
            throw new IllegalArgumentException("container names of a pod are unique");
        }
        if (split < 1) {
            throw new IllegalArgumentException("memory can't be split over " + split + " cards");
        }
        for (ContainerDemand container : containers) {
            if (split > 1 && container.request().cores() > 0) {
                throw new IllegalArgumentException("container " + Printable.quoted(container.name())
                        + " requests " + container.request().cores() + " percent of the cores, which is possible on one"
                        + " card only");
            }
            if (!container.request().divisibleBy(split)) {
                throw new IllegalArgumentException("container " + Printable.quoted(container.name()) + " requests "
                        + container.request().units() + " units of memory on " + split
                        + " cards: request a multiple of " + split + ", so that each card gives the same");
            }
        }
        for (int i = 1; i < containers.size(); i++) {
            if (containers.get(i - 1).role() == ContainerRole.APP
                    && containers.get(i).role() != ContainerRole.APP) {
                throw new IllegalArgumentException("init containers and sidecars come before the apps");
            }
        }
    }

    /** A demand with all memory on one card, for any card. */
    public Demand(List<ContainerDemand> containers) {
        this(containers, 1, CardSelector.ANY);
    }

    /** The demand of one container alone, with the same split and selector. */
    public Demand only(ContainerDemand container) {
        return new Demand(List.of(container), split, selector);
    }

    /**
     * The most that its containers hold at one time, on all cards.
     *
     * @throws ArithmeticException if an amount is more than any node could have
     */
    public Share total() {
        return peakShare(containers, ContainerDemand::role, ContainerDemand::request, Math::toIntExact);
    }

    /**
     * The most that its containers hold at one time of each card that they share; none for a pod of whole cards only.
     */
    public Share shareOfEachCard() {
        return total().dividedBy(split);
    }

    /** The number of cards that its containers share; 0 for a pod of whole cards only. */
    public int sharedCards() {
        return total().shared().isNone() ? 0 : split;
    }

    /** As {@link #peak}, for each kind of share, at most the largest int. */
    static <C> Share peakShare(List<C> containers, Function<C, ContainerRole> role, Function<C, Share> share) {
        return peakShare(containers, role, share, amount -> (int) Math.min(Integer.MAX_VALUE, amount));
    }

    private static <C> Share peakShare(
            List<C> containers, Function<C, ContainerRole> role, Function<C, Share> share, LongToIntFunction narrow) {
        Share peak = Share.NONE;
        for (ShareKind kind : ShareKind.values()) {
            long amount = peak(containers, role, container -> kind.in(share.apply(container)));
            peak = peak.plus(kind.share(narrow.applyAsInt(amount)));
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
}
