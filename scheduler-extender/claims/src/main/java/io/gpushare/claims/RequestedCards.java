package io.gpushare.claims;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.ClaimState.Constraints;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What claims request that have no cards yet, in the words of the ledger. The notes say what the demand leaves out: its
 * shares are of the same cards, and requests of claims need not be.
 */
record RequestedCards(Demand demand, List<String> notes) {
    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);
    private static final Comparator<Demand> SIZE = Comparator.comparingInt(
                    (Demand demand) -> demand.total().takenWhole())
            .thenComparingInt(demand -> demand.total().units());

    /**
     * What one claim requests.
     *
     * @param requests the demand of each request for our cards
     * @param oneCard whether its requests for memory are about the same card
     * @param selective whether only kube-scheduler knows which cards it selects
     * @param coresOfSeveral whether a request is about the cores of several cards
     * @param tolerant whether a request tolerates taints of cards
     */
    record OfClaim(
            List<Demand> requests,
            boolean oneCard,
            boolean selective,
            boolean alternatives,
            boolean allOfNode,
            boolean coresOfSeveral,
            boolean tolerant) {
        static final OfClaim NONE = new OfClaim(List.of(), false, false, false, false, false, false);

        static OfClaim of(ClaimState claim, MemoryUnit unit) {
            List<ClaimState.Request> all = claim.requests();
            return new OfClaim(
                    all.stream().map(request -> demand(request, unit)).toList(),
                    claim.constraints() == Constraints.ONE_CARD,
                    claim.constraints() == Constraints.OTHER || all.stream().anyMatch(ClaimState.Request::selective),
                    all.stream().anyMatch(ClaimState.Request::alternatives),
                    all.stream().anyMatch(request -> request.count() == 0),
                    all.stream().anyMatch(request -> request.count() > 1 && request.cores() != null),
                    all.stream().anyMatch(ClaimState.Request::tolerant));
        }
    }

    /** Empty if they request none of our cards. */
    static Optional<RequestedCards> of(List<OfClaim> claims) {
        List<Demand> requests =
                claims.stream().flatMap(claim -> claim.requests().stream()).toList();
        if (requests.isEmpty()) {
            return Optional.empty();
        }
        boolean oneCard = claims.size() == 1 && claims.getFirst().oneCard();
        Demand counted = counted(requests, oneCard);
        List<String> notes = notes(claims, requests.size(), counted.containers().size());
        Demand known = claims.stream().anyMatch(OfClaim::tolerant)
                ? counted.claimedWithTolerations()
                : notes.isEmpty() ? counted.claimed() : counted.claimedInPart();
        return Optional.of(new RequestedCards(known, notes));
    }

    /**
     * As many of the requests as one demand can say: all whole cards or all instances, since each is another one, and
     * beside whole cards all memory of one card, or the largest request for memory.
     */
    private static Demand counted(List<Demand> requests, boolean oneCard) {
        List<Demand> shares =
                requests.stream().filter(each -> each.total().units() > 0).toList();
        List<Demand> whole =
                requests.stream().filter(each -> each.total().units() == 0).toList();
        List<Demand> memory =
                oneCard ? shares : shares.stream().max(SIZE).map(List::of).orElse(List.of());
        List<Demand> all = Stream.concat(memory.stream(), whole.stream()).toList();
        Demand first = all.getFirst();
        boolean ofOneKind = all.stream()
                .allMatch(each -> each.selector().equals(first.selector()) && each.instances() == first.instances());
        return !ofOneKind
                ? requests.stream().max(SIZE).orElseThrow()
                : new Demand(
                        IntStream.range(0, all.size())
                                .mapToObj(i -> named(all.get(i).containers().getFirst(), i))
                                .toList(),
                        first.split(),
                        first.selector());
    }

    /** Names of requests are unique within a claim only, and pods with equal demands are explained together. */
    private static ContainerDemand named(ContainerDemand request, int place) {
        return new ContainerDemand(String.valueOf(place), request.role(), request.request(), request.profile());
    }

    private static Demand demand(ClaimState.Request request, MemoryUnit unit) {
        int count = Math.max(1, request.count());
        if (request.memory() == null) {
            Share whole = request.profile() == null ? Share.whole(count) : Share.instances(count);
            return new Demand(List.of(container(request, whole, true)));
        }
        int units = Math.max(1, rounded(request.memory(), unit.size().bytes()));
        int all = Math.min(Integer.MAX_VALUE / count, units) * count;
        Share share = Share.memory(all);
        if (count == 1 && request.cores() != null) {
            share = share.plus(Share.cores(Math.min(ShareKind.ALL, rounded(request.cores(), 1))));
        }
        return new Demand(List.of(container(request, share, false)), count, selector(request));
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

    private static List<String> notes(List<OfClaim> claims, int requests, int counted) {
        List<String> notes = new ArrayList<>();
        if (counted < requests) {
            notes.add("its claims have " + requests + " requests, of which kube-scheduler may give several one card or"
                    + " different ones: " + counted + (counted == 1 ? ", the largest, is" : ", the largest, are")
                    + " compared with the cards");
        }
        if (claims.stream().anyMatch(OfClaim::selective)) {
            notes.add("which cards its claims select, kube-scheduler alone can tell");
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
        if (claims.stream().anyMatch(OfClaim::tolerant)) {
            notes.add("which DeviceTaintRules its claims tolerate, kube-scheduler alone can tell");
        }
        return notes;
    }
}
