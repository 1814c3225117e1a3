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

/**
 * What claims request that have no cards yet, in the words of the ledger. A demand is about the same cards, and
 * requests of claims need not be: so it is that of the largest request, and the notes say what it leaves out.
 */
record RequestedCards(Demand demand, List<String> notes) {
    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);

    /** Empty if they request none of our cards. */
    static Optional<RequestedCards> of(List<ClaimState> claims, MemoryUnit unit) {
        List<ClaimState.Request> requests =
                claims.stream().flatMap(claim -> claim.requests().stream()).toList();
        return requests.stream()
                .map(request -> demand(request, unit))
                .max(Comparator.comparingInt((Demand demand) -> demand.total().takenWhole())
                        .thenComparingInt(demand -> demand.total().units()))
                .map(largest -> new RequestedCards(largest, notes(claims, requests)));
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

    private static List<String> notes(List<ClaimState> claims, List<ClaimState.Request> requests) {
        List<String> notes = new ArrayList<>();
        if (requests.size() > 1) {
            notes.add("its claims have " + requests.size() + " requests, which kube-scheduler may give different cards:"
                    + " only the largest is compared with each card");
        }
        if (requests.stream().anyMatch(ClaimState.Request::selective)
                || claims.stream().anyMatch(ClaimState::constrained)) {
            notes.add("which cards its claims select, only kube-scheduler knows");
        }
        if (requests.stream().anyMatch(ClaimState.Request::alternatives)) {
            notes.add("its claims have alternatives (firstAvailable): only the first is compared");
        }
        if (requests.stream().anyMatch(request -> request.count() == 0)) {
            notes.add("its claims request all cards of a node (allocationMode: All): only one is compared");
        }
        if (requests.stream().anyMatch(request -> request.count() > 1 && request.cores() != null)) {
            notes.add("the cores that its claims request of several cards are not compared");
        }
        return notes;
    }
}
