package io.gpushare.claims;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.selector.CardCondition;
import io.gpushare.model.selector.CardFact;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.selector.FactValue;
import io.gpushare.model.text.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What claims request that have no cards yet, in the words of the ledger. A demand is about the same cards, and
 * requests of claims need not be: so it is that of the largest request, and the notes say what it leaves out.
 */
record RequestedCards(Demand demand, List<String> notes) {
    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);
    private static final Comparator<Demand> SIZE = Comparator.comparingInt(
                    (Demand demand) -> demand.total().takenWhole())
            .thenComparingInt(demand -> demand.total().units());

    /**
     * What one claim requests.
     *
     * @param largest the demand of its largest request; null if it requests none of our cards
     * @param selective whether only kube-scheduler knows which cards it selects
     * @param coresOfSeveral whether a request is about the cores of several cards
     */
    record OfClaim(
            @Nullable Demand largest,
            int requests,
            boolean selective,
            boolean alternatives,
            boolean allOfNode,
            boolean coresOfSeveral) {
        static final OfClaim NONE = new OfClaim(null, 0, false, false, false, false);

        static OfClaim of(ClaimState claim, MemoryUnit unit) {
            List<ClaimState.Request> all = claim.requests();
            return new OfClaim(
                    all.stream().map(request -> demand(request, unit)).max(SIZE).orElse(null),
                    all.size(),
                    claim.constrained() || all.stream().anyMatch(ClaimState.Request::selective),
                    all.stream().anyMatch(ClaimState.Request::alternatives),
                    all.stream().anyMatch(request -> request.count() == 0),
                    all.stream().anyMatch(request -> request.count() > 1 && request.cores() != null));
        }
    }

    /** Empty if they request none of our cards. */
    static Optional<RequestedCards> of(List<OfClaim> claims) {
        return claims.stream()
                .flatMap(claim -> Stream.ofNullable(claim.largest()))
                .max(SIZE)
                .map(largest -> new RequestedCards(largest, notes(claims)));
    }

    private static Demand demand(ClaimState.Request request, MemoryUnit unit) {
        int count = Math.max(1, request.count());
        if (request.memory() == null) {
            Share whole = request.profile() == null ? Share.whole(count) : Share.instances(count);
            return new Demand(List.of(container(request, whole, true))).claimed();
        }
        int units = Math.max(1, rounded(request.memory(), unit.size().bytes()));
        int all = Math.min(Integer.MAX_VALUE / count, units) * count;
        Share share = Share.memory(all);
        if (count == 1 && request.cores() != null) {
            share = share.plus(Share.cores(Math.min(ShareKind.ALL, rounded(request.cores(), 1))));
        }
        return new Demand(List.of(container(request, share, false)), count, selector(request)).claimed();
    }

    private static ContainerDemand container(ClaimState.Request request, Share share, boolean whole) {
        return new ContainerDemand(request.name(), ContainerRole.APP, share, whole ? request.profile() : null);
    }

    private static CardSelector selector(ClaimState.Request request) {
        return request.profile() == null
                ? CardSelector.ANY
                : new CardSelector(List.of(new CardCondition(
                        CardFact.PROFILE, CardCondition.Test.IN, List.of(new FactValue.Profile(request.profile())))));
    }

    /** kube-scheduler rounds up as well. */
    private static int rounded(String quantity, long step) {
        return Quantity.parse(quantity)
                .map(amount -> amount.divide(BigDecimal.valueOf(step), 0, RoundingMode.UP))
                .map(amount -> amount.min(MOST).intValue())
                .orElse(0);
    }

    private static List<String> notes(List<OfClaim> claims) {
        List<String> notes = new ArrayList<>();
        int requests = claims.stream().mapToInt(OfClaim::requests).sum();
        if (requests > 1) {
            notes.add("its claims have " + requests + " requests, which kube-scheduler may give different cards:"
                    + " only the largest is compared with each card");
        }
        if (claims.stream().anyMatch(OfClaim::selective)) {
            notes.add("which cards its claims select, only kube-scheduler knows");
        }
        if (claims.stream().anyMatch(OfClaim::alternatives)) {
            notes.add("its claims have alternatives (firstAvailable): only the first is compared");
        }
        if (claims.stream().anyMatch(OfClaim::allOfNode)) {
            notes.add("its claims request all cards of a node (allocationMode: All): only one is compared");
        }
        if (claims.stream().anyMatch(OfClaim::coresOfSeveral)) {
            notes.add("the cores that its claims request of several cards are not compared");
        }
        return notes;
    }
}
