package io.gpushare.model.claims;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Obstacle;
import io.gpushare.model.text.Printable;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The claims that have their cards on this node, and the last line of defence: kube-scheduler has given devices twice
 * under load, and nobody else checks. The holders in the ledger are the claims.
 *
 * <p>Whether a card accepts new claims is decided by kube-scheduler, by the taints of the slice and what a claim
 * tolerates. Here only counts whether the card is present and has as much left.
 */
public final class PreparedClaims {
    /** So many containers have a request together; further ones are not counted. */
    public static final int MOST_USERS = 64;

    private final NodeCards cards;
    /** Its users when a claim was prepared, by its uid. */
    private final Map<String, Users> users;

    /** The pods of a claim, and what the containers of each use of claims. */
    private record Users(ResourceClaim claim, Map<PodRef, List<ClaimUse>> pods) {}

    /** A container that uses a request of a claim. */
    public record User(PodRef pod, String container, ContainerRole role) {
        /** One of which only the name is known. */
        User(PodRef pod, String container) {
            this(pod, container, ContainerRole.APP);
        }
    }

    private PreparedClaims(NodeCards cards, Map<String, Users> users) {
        this.cards = cards;
        this.users = Map.copyOf(users);
    }

    /** No claims yet, on these cards. */
    public static PreparedClaims of(Inventory inventory) {
        return new PreparedClaims(NodeCards.of(accepting(inventory)), Map.of());
    }

    private static Inventory accepting(Inventory inventory) {
        return new Inventory(
                        inventory.unit(),
                        inventory.driver(),
                        inventory.cards().stream()
                                .map(card -> card.withHealth(new Health.Healthy()))
                                .toList(),
                        inventory.links(),
                        inventory.noCards(),
                        inventory.beside())
                .withCordoned(Set.of())
                .withInUse(Map.of())
                .withForeign(Map.of());
    }

    /** The same claims with another inventory. */
    public PreparedClaims withInventory(Inventory inventory) {
        return new PreparedClaims(cards.withInventory(accepting(inventory)), users);
    }

    /** What is left of these cards, as the inventory has them: their health counts. */
    public NodeCards on(Inventory inventory) {
        return cards.withInventory(inventory);
    }

    /** The same with that claim, whatever others have: for claims whose containers may run already. */
    public PreparedClaims with(ResourceClaim claim, Allocation allocation) {
        return with(claim, allocation, Map.of());
    }

    /**
     * The same with that claim.
     *
     * @param pods what the containers of its pods use, as far as that was read
     */
    public PreparedClaims with(ResourceClaim claim, Allocation allocation, Map<PodRef, List<ClaimUse>> pods) {
        Map<String, Users> changed = new HashMap<>(users);
        Map<PodRef, List<ClaimUse>> kept = new LinkedHashMap<>();
        pods.forEach((pod, uses) -> kept.put(
                pod,
                uses.stream()
                        .filter(use -> use.claim().equals(claim.name()))
                        .map(ClaimUse::withoutVariables)
                        .toList()));
        changed.put(claim.uid(), new Users(claim, kept));
        return new PreparedClaims(cards.with(holder(claim), allocation), changed);
    }

    /** The same without the claim of that uid, if there is one. */
    public PreparedClaims without(String uid) {
        Map<String, Users> changed = new HashMap<>(users);
        changed.remove(uid);
        return new PreparedClaims(cards.without(uid), changed);
    }

    /** What each claim holds; the holder is the claim. */
    public Collection<NodeCards.Holding> holdings() {
        return cards.holdings();
    }

    /** Whether the holder of that uid is a claim. */
    public boolean holds(String uid) {
        return users.containsKey(uid);
    }

    /** The uids of the pods of which was read what they use when their claims were prepared. */
    public Set<String> podsRead() {
        return users.values().stream()
                .flatMap(each -> each.pods().keySet().stream())
                .map(PodRef::uid)
                .collect(Collectors.toSet());
    }

    /**
     * Why these containers can't have the claim together, as a sentence; empty if they can.
     *
     * @param pods what the containers of its pods use
     */
    public static Optional<String> tooMany(
            ResourceClaim claim, Allocation allocation, Map<PodRef, List<ClaimUse>> pods) {
        Optional<String> unread = pods.entrySet().stream()
                .filter(pod -> pod.getValue().size() >= ClaimUse.MOST_OF_POD)
                .findFirst()
                .map(pod -> "claim " + claim + ": the containers of pod " + pod.getKey() + " name claims "
                        + ClaimUse.MOST_OF_POD + " times or more, of which no more are read: name fewer");
        return unread.or(() -> allocation.containers().stream()
                .filter(request -> using(claim, request.name(), pods).distinct().count() > MOST_USERS)
                .findFirst()
                .map(request -> "claim " + claim + ": more than " + MOST_USERS + " containers use request "
                        + Printable.quoted(request.name())
                        + ": make a claim for each pod, by a ResourceClaimTemplate"));
    }

    /**
     * The containers that have that part of what the holder has: all that use the request of a claim, and of a pod the
     * container of that name; the pod for which the claim was prepared comes first. Pods may begin to use a claim after
     * it was prepared, and the API's watch may be late: those that it reports count, and those that were read. Without
     * any it is the pods for which it was prepared, and without these the claim itself, so that what it holds is
     * counted in any case.
     *
     * @param now what the containers of the node's pods use, by pod, the oldest first
     * @param gone whether a pod that was read has ended since
     */
    public List<User> users(PodRef holder, String part, Map<PodRef, List<ClaimUse>> now, Predicate<PodRef> gone) {
        @Nullable Users known = users.get(holder.uid());
        if (known == null) {
            return List.of(new User(holder, part));
        }
        ResourceClaim claim = known.claim();
        Optional<PodRef> first = claim.pods().stream().findFirst();
        Stream<User> using = Stream.concat(
                        using(claim, part, known.pods()).filter(user -> !gone.test(user.pod())),
                        using(claim, part, now))
                .sorted(Comparator.comparing(user -> !first.equals(Optional.of(user.pod()))))
                .distinct();
        // Of a pod that is not reported, which may have several claims with requests of one name: no container has it.
        String unknown = claim.name() + "/" + part;
        return Stream.of(using, claim.pods().stream().map(pod -> new User(pod, unknown)))
                .map(found -> found.limit(MOST_USERS).toList())
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(List.of(new User(holder, part)));
    }

    private static Stream<User> using(ResourceClaim claim, String request, Map<PodRef, List<ClaimUse>> pods) {
        return pods.entrySet().stream()
                .filter(pod -> pod.getKey().namespace().equals(claim.namespace()))
                .flatMap(pod -> pod.getValue().stream()
                        .filter(use -> use.includes(claim, request))
                        .map(use -> new User(pod.getKey(), use.container(), use.role())));
    }

    /** Whether the claim of that uid has exactly that. */
    public boolean has(String uid, Allocation allocation) {
        return cards.allocationOf(uid).filter(allocation::equals).isPresent();
    }

    /**
     * Why the claim can't have these cards, as a sentence that names who has them; empty if it can, and for a claim
     * that has them already.
     */
    public Optional<String> refusal(ResourceClaim claim, Allocation allocation) {
        if (has(claim.uid(), allocation)) {
            return Optional.empty();
        }
        return cards.without(claim.uid()).obstacles(allocation).entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(nearest -> "claim " + claim + ": card " + nearest.getKey()
                        + because(nearest.getKey(), nearest.getValue(), claim.uid()));
    }

    private String because(CardId card, Obstacle obstacle, String except) {
        return switch (obstacle.cause()) {
            case ABSENT -> " is not on this node: recreate the pod";
            case NO_ISOLATION ->
                " offers no memory ("
                        + cards.inventory()
                                .card(card)
                                .map(Card::isolation)
                                .orElseThrow()
                                .missing() + ")";
            case NOT_LIMITED -> " does not limit cores as requested: recreate the pod";
            case OTHER_CARD -> " does not have as much: recreate the pod";
            // The last three do not come: kube-scheduler decides on them.
            case OCCUPIED, IN_USE, CORDONED, UNHEALTHY ->
                " was given twice: it is held by " + holders(card, except)
                        + ". The pod starts when they end, or recreate it";
        };
    }

    private String holders(CardId card, String except) {
        return cards.holdings().stream()
                .filter(holding -> !holding.holder().uid().equals(except))
                .filter(holding -> holding.allocation().cards().contains(card))
                .map(holding -> "claim " + holding.holder())
                .sorted()
                .limit(3)
                .collect(Collectors.joining(", "));
    }

    private static PodRef holder(ResourceClaim claim) {
        return new PodRef(claim.uid(), claim.namespace(), claim.name());
    }
}
