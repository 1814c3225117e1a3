package io.gpushare.extender.feasibility;

import io.gpushare.model.card.NoCards;
import io.gpushare.model.ledger.Refusal;
import io.gpushare.model.node.NodeMismatch;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Why a node can't take a pod. The sentence is constant and contains no name or number of a node: kube-scheduler groups
 * nodes by it, and retries a pod endlessly if it differs from attempt to attempt.
 *
 * @param label the reason in metrics, one of a small set
 * @param resolvable whether the eviction of pods could resolve it
 */
public record Reason(String label, String sentence, boolean resolvable) {
    public static final Reason UNKNOWN_NODE =
            new Reason("unknown_node", "node is not known to the GPU share extender", false);
    public static final Reason NO_INVENTORY = new Reason(
            "no_inventory",
            "node is not a GPU share node: it has no inventory of cards (is the GPU share device plugin running"
                    + " there?)",
            false);
    public static final Reason BAD_INVENTORY = new Reason(
            "bad_inventory",
            "node's inventory of cards can't be read (see the extender's log, and the version of the device plugin"
                    + " there)",
            false);

    /** For a pod without claims. */
    public static final Reason SERVES_CLAIMS =
            new Reason("serves_claims", "node serves claims (deploy/docs/use/claims.md): write a ResourceClaim", false);

    /** For a pod with claims. */
    public static final Reason SERVES_NO_CLAIMS =
            new Reason("serves_no_claims", "node does not serve claims: it offers its cards as resources", false);

    private static final String NO_CARDS = "no_cards";
    public static final Reason NOT_RENEWED = new Reason(
            "not_renewed",
            "node's device plugin does not renew its Lease (does it run, and reach the API server?)",
            false);
    public static final Reason BACKING_OFF = new Reason(
            "backing_off",
            "node's kubelet rejected the last GPU pods of this namespace; the next one has to wait",
            false);
    public static final Reason PASSED_OVER =
            new Reason("passed_over", "node was chosen several times, and the pod was never bound to it", true);

    /**
     * The node fits, but the policy chose another one. The sentence is short because filter repeats it for nearly every
     * node; kube-scheduler shows it only if the chosen node refuses the pod.
     */
    public static final Reason NOT_CHOSEN = new Reason("not_chosen", "not chosen", true);

    /** The kubelet of a node that has moved to claims, or lost its cards, keeps the names of its resources. */
    public static final Reason ZERO_OF_NONE = new Reason(
            "zero_of_none",
            "node's kubelet rejects the pod: it requests 0 of a resource of which the node has no healthy device; leave"
                    + " that resource out",
            false);

    private static final String INVALID_DEMAND = "bad_demand";
    private static final Map<NoCards.Cause, Reason> WITHOUT_CARDS = new EnumMap<>(NoCards.Cause.class);
    private static final Map<NodeMismatch, Reason> NOT_ACCEPTED = new EnumMap<>(NodeMismatch.class);
    private static final Map<Refusal, Reason> OCCUPIED = new EnumMap<>(Refusal.class);
    private static final Map<Refusal, Reason> EVEN_WHEN_EMPTY = new EnumMap<>(Refusal.class);

    static {
        for (NoCards.Cause cause : NoCards.Cause.values()) {
            WITHOUT_CARDS.put(
                    cause, new Reason(NO_CARDS, "node has no GPU cards to offer: " + cause.sentence(), false));
        }
        WITHOUT_CARDS.put(NoCards.Cause.SERVES_CLAIMS, SERVES_CLAIMS);
        for (NodeMismatch mismatch : NodeMismatch.values()) {
            NOT_ACCEPTED.put(
                    mismatch,
                    new Reason("node_" + mismatch.name().toLowerCase(Locale.ROOT), mismatch.sentence(), false));
        }
        for (Refusal refusal : Refusal.values()) {
            String label = refusal.name().toLowerCase(Locale.ROOT);
            boolean resolvable = !refusal.whenEmpty().isEmpty();
            Reason now = new Reason(label, refusal.sentence(), resolvable);
            OCCUPIED.put(refusal, now);
            EVEN_WHEN_EMPTY.put(
                    refusal,
                    resolvable
                            ? new Reason(label + "_even_empty", refusal.whenEmpty() + ", even when empty", false)
                            : now);
        }
    }

    // A cluster autoscaler's users look for "scale-up". Short, because filter repeats it for every node.
    private static final String SCALE_UP = ": needs a scale-up";

    /** The pod's resources or annotations are invalid. */
    public static Reason invalidDemand(String sentence) {
        return new Reason(INVALID_DEMAND, sentence, false);
    }

    /** The same reason where no node of the cluster could take the pod, even if it were empty. */
    public Reason needsScaleUp() {
        return EVEN_WHEN_EMPTY.containsValue(this) ? new Reason(label, sentence + SCALE_UP, resolvable) : this;
    }

    /** Whether the reason is one of the few whose sentence does not depend on the pod. */
    public boolean constant() {
        return !label.equals(INVALID_DEMAND);
    }

    /** Whether the node's cards are the reason, each for its own cause. */
    public boolean ofCards() {
        return OCCUPIED.containsValue(this) || EVEN_WHEN_EMPTY.containsValue(this);
    }

    /** The pod does not accept the node, which only kube-scheduler decides for filter. */
    public static Reason notAccepted(NodeMismatch mismatch) {
        return Objects.requireNonNull(NOT_ACCEPTED.get(mismatch));
    }

    /** Whether the pod does not accept the node. */
    public boolean ofNode() {
        return NOT_ACCEPTED.containsValue(this);
    }

    /** Whether the node offers its cards in the other way than that in which the pod requests them. */
    public boolean ofOtherWay() {
        return equals(SERVES_CLAIMS) || equals(SERVES_NO_CLAIMS);
    }

    /** The labels of the reasons of filter. */
    public static Set<String> labels() {
        Set<String> labels = new TreeSet<>(Set.of(
                UNKNOWN_NODE.label(),
                NO_INVENTORY.label(),
                BAD_INVENTORY.label(),
                NOT_RENEWED.label(),
                NO_CARDS,
                SERVES_CLAIMS.label(),
                SERVES_NO_CLAIMS.label(),
                BACKING_OFF.label(),
                PASSED_OVER.label(),
                NOT_CHOSEN.label(),
                ZERO_OF_NONE.label(),
                INVALID_DEMAND));
        OCCUPIED.values().forEach(reason -> labels.add(reason.label()));
        EVEN_WHEN_EMPTY.values().forEach(reason -> labels.add(reason.label()));
        return labels;
    }

    /** The device plugin of the node runs and offers no cards. */
    public static Reason noCards(NoCards.Cause cause) {
        return Objects.requireNonNull(WITHOUT_CARDS.get(cause));
    }

    /** The refusal of a node that could take the pod if no other pod were there. */
    public static Reason occupied(Refusal refusal) {
        return Objects.requireNonNull(OCCUPIED.get(refusal));
    }

    /** The refusal of a node that could not take the pod even if it were empty. */
    public static Reason evenWhenEmpty(Refusal refusal) {
        return Objects.requireNonNull(EVEN_WHEN_EMPTY.get(refusal));
    }
}
