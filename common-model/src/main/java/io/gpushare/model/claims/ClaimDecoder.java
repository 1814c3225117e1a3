package io.gpushare.model.claims;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.claims.ResourceClaim.Result;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.text.Printable;
import io.gpushare.model.text.Quantity;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads what kube-scheduler allocated to a claim as shares of the node's cards. Claims come from users, and their
 * status from whoever may write it: what {@link SliceSpecs} never offered is malformed.
 *
 * @param pool the node's
 */
public record ClaimDecoder(String driver, String pool) {
    /** The name under which cards are offered. */
    public static final String DRIVER = "gpushare.io";

    /** The API's own limit. */
    private static final int MOST_RESULTS = 32;

    /** Whether that is a card of this node. */
    public boolean concerns(Result result) {
        return result.driver().equals(driver) && result.pool().equals(pool);
    }

    /**
     * The cards of the claim, in which each request stands for a container; absent if it has none of this driver, and
     * if it only {@link #watched watches} them.
     */
    public Decoded<Allocation> decode(ResourceClaim claim, Inventory inventory) {
        List<Result> results = results(claim);
        return results.stream().allMatch(Result::adminAccess)
                ? new Decoded.Absent<>()
                : decode(claim, results, () -> allocation(results, inventory));
    }

    /**
     * The cards that the claim has by administrative access alone: its containers see them, and it takes nothing of
     * them. The API server lets only namespaces with the label {@code resource.kubernetes.io/admin-access} have it.
     */
    public Decoded<Set<CardId>> watched(ResourceClaim claim, Inventory inventory) {
        List<Result> results = results(claim);
        return results.isEmpty() || !results.stream().allMatch(Result::adminAccess)
                ? new Decoded.Absent<>()
                : decode(claim, results, () -> watched(results, inventory));
    }

    private List<Result> results(ResourceClaim claim) {
        return claim.results().stream()
                .filter(result -> result.driver().equals(driver))
                .toList();
    }

    private <T> Decoded<T> decode(ResourceClaim claim, List<Result> results, Supplier<T> decoded) {
        try {
            check(claim, results);
            return new Decoded.Valid<>(decoded.get());
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>("claim " + Printable.line(claim.toString(), 128) + ": " + e.getMessage());
        }
    }

    private Set<CardId> watched(List<Result> results, Inventory inventory) {
        Map<String, Card> named = CardNames.in(inventory);
        Set<CardId> cards = new LinkedHashSet<>();
        results.forEach(result -> cards.add(card(result, named).id()));
        return cards;
    }

    /**
     * What is wrong with the sum that kube-scheduler has of a card of this node, because of what the claim consumes of
     * it, as a sentence; empty if nothing is. Its arithmetic overflows, and rounds large amounts up to nothing or less.
     */
    public Optional<String> miscounted(ResourceClaim claim) {
        return claim.results().stream()
                .filter(this::concerns)
                .flatMap(result -> result.consumed().entrySet().stream()
                        .filter(amount -> overflowed(amount.getKey(), amount.getValue()))
                        .map(amount -> "kube-scheduler counts " + Printable.quoted(amount.getValue()) + " of "
                                + Printable.line(amount.getKey(), 64) + " of card "
                                + Printable.line(result.device(), 64) + " for claim "
                                + Printable.line(claim.toString(), 128)
                                + ", so its sum for the card is wrong, and it gives the card to pods for which nothing"
                                + " is left: delete the claim and its pods"))
                .findFirst();
    }

    private static boolean overflowed(String capacity, String consumed) {
        return Quantity.parse(consumed)
                .filter(amount -> amount.signum() > 0 || capacity.equals(Capacity.CORES))
                .isEmpty();
    }

    private void check(ResourceClaim claim, List<Result> results) {
        if (results.size() > MOST_RESULTS) {
            throw new IllegalArgumentException("it has " + results.size() + " devices, and at most " + MOST_RESULTS
                    + " are possible: use several claims");
        }
        if (claim.configured().contains(driver)) {
            throw new IllegalArgumentException("it, or its device class, has an opaque configuration for " + driver
                    + ", which reads none: remove it");
        }
        if (results.stream().map(Result::adminAccess).distinct().count() > 1) {
            throw new IllegalArgumentException(
                    "it has administrative access beside cards of its own: write the requests with adminAccess as a"
                            + " claim of its own");
        }
    }

    private Allocation allocation(List<Result> results, Inventory inventory) {
        Map<String, Card> named = CardNames.in(inventory);
        Map<String, Map<CardId, Share>> requests = new LinkedHashMap<>();
        for (Result result : results) {
            Card card = card(result, named);
            Share share = new Amounts(result.consumed(), inventory.unit()).of(inventory.capacityOf(card));
            if (requests.computeIfAbsent(result.request(), _ -> new LinkedHashMap<>())
                            .put(card.id(), share)
                    != null) {
                throw new IllegalArgumentException("request " + Printable.quoted(result.request()) + " has card "
                        + card.id() + " twice: recreate the pod");
            }
        }
        boolean instances = requests.values().stream()
                .allMatch(shares ->
                        all(shares, inventory) && shares.keySet().stream().allMatch(CardId::instance));
        List<ContainerAllocation> containers = requests.entrySet().stream()
                .map(request -> new ContainerAllocation(
                        request.getKey(), ContainerRole.APP, wholeIfAll(request.getValue(), instances, inventory)))
                .toList();
        return new Allocation(inventory.unit(), containers);
    }

    private Card card(Result result, Map<String, Card> named) {
        if (!result.pool().equals(pool)) {
            throw new IllegalArgumentException("its device is in pool " + Printable.quoted(result.pool())
                    + ", and this node has pool " + pool + ": recreate the pod");
        }
        Optional<Card> card = Optional.ofNullable(named.get(result.device()));
        return card.orElseThrow(() -> new IllegalArgumentException("its device " + Printable.quoted(result.device())
                + " is not a card of this node any more: recreate the pod"));
    }

    /**
     * A request that has all of each of its cards has them whole: nothing limits it. The ledger has MIG instances whole
     * only where a claim has nothing else.
     */
    private static Map<CardId, Share> wholeIfAll(Map<CardId, Share> shares, boolean instances, Inventory inventory) {
        if (!all(shares, inventory) || (!instances && shares.keySet().stream().anyMatch(CardId::instance))) {
            return shares;
        }
        Map<CardId, Share> whole = new LinkedHashMap<>(shares);
        whole.replaceAll((id, _) -> id.whole());
        return whole;
    }

    /** Whether nothing of these cards is left to others, and no limit of the cores was asked for. */
    private static boolean all(Map<CardId, Share> shares, Inventory inventory) {
        return shares.entrySet().stream().allMatch(share -> {
            Share capacity =
                    inventory.card(share.getKey()).map(inventory::capacityOf).orElse(Share.NONE);
            return share.getValue().cores() == 0 && share.getValue().units() >= capacity.units();
        });
    }

    /** The consumed capacities of one device. */
    private record Amounts(Map<String, String> consumed, MemoryUnit unit) {
        /** The share that they are; as a whole, all units of the card. */
        Share of(Share capacity) {
            long bytes = consumed.containsKey(Capacity.MEMORY)
                    ? whole(Capacity.MEMORY, Long.MAX_VALUE)
                    : unit.size().bytes() * capacity.units();
            if (bytes % unit.size().bytes() != 0) {
                throw new IllegalArgumentException(Printable.quoted(consumed.getOrDefault(Capacity.MEMORY, ""))
                        + " of memory is no multiple of this node's unit, " + unit.amount(1)
                        + ", which may have changed since it was allocated: recreate the pod");
            }
            int units = (int) Math.min(Integer.MAX_VALUE, bytes / unit.size().bytes());
            int cores = consumed.containsKey(Capacity.CORES) ? (int) whole(Capacity.CORES, ShareKind.ALL) : 0;
            return Share.memory(units).plus(Share.cores(cores));
        }

        private long whole(String capacity, long most) {
            String text = consumed.getOrDefault(capacity, "");
            return Quantity.parse(text)
                    .filter(amount -> amount.compareTo(BigDecimal.valueOf(most)) <= 0)
                    .filter(amount -> amount.stripTrailingZeros().scale() <= 0)
                    .map(BigDecimal::longValueExact)
                    .orElseThrow(() -> new IllegalArgumentException(
                            Printable.quoted(text) + " of " + capacity + " can't be allocated: recreate the pod"));
        }
    }
}
