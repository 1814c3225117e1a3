package io.gpushare.simulation.planning;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.Stream;

/** How many new nodes of one kind some pods need, beside nodes that exist. Not thread-safe. */
public final class MoreNodes {
    // The adaptive one is one of the others.
    private static final List<PolicyKind> POLICIES = Stream.of(PolicyKind.values())
            .filter(kind -> kind != PolicyKind.ADAPTIVE)
            .toList();
    private static final int MOST_NODES = 8192;
    // Shuffled orders are tried until about so many nodes were compared.
    private static final long EFFORT = 30_000;
    private static final int MOST_SHUFFLES = 500;

    private final List<KnownNode> others;
    private final KnownNode kind;
    private final List<PodRequest> pods;
    private final int mayRefuse;
    private final Map<PodRequest, Integer> takers = new HashMap<>();
    private final Map<Integer, Map<PolicyKind, Scoring>> scorings = new HashMap<>();
    private final LowerBound lowerBound;
    private final int most;

    /**
     * The question.
     *
     * @param others nodes that exist, with what is free on them
     * @param kind such a new node, empty
     * @param pods in the order in which they come
     * @param mayRefuse how many of them need not be placed
     */
    public MoreNodes(List<KnownNode> others, KnownNode kind, List<PodRequest> pods, int mayRefuse) {
        this.others = List.copyOf(others);
        this.kind = kind;
        this.pods = List.copyOf(pods);
        this.mayRefuse = mayRefuse;
        pods.forEach(pod -> takers.computeIfAbsent(pod, this::countTakers));
        lowerBound = new BoundSearch(others, kind, pods)
                .highest(Math.max(0, mayRefuse - unplaceable().size()));
        most = (int) pods.stream()
                .filter(pod -> !CardChoice.of(kind.entry(), pod).isEmpty())
                .limit(MOST_NODES)
                .count();
    }

    /**
     * A number of nodes that is enough.
     *
     * @param policy what places the pods
     * @param refused the pods that it does not place
     */
    public record Plan(int nodes, String policy, PodOrder order, List<PodRequest> refused) {
        public Plan {
            refused = List.copyOf(refused);
        }
    }

    /** Tries to place the pods on nodes. */
    public interface Trial {
        /** The pods that it does not place; it may end when there are too many. */
        List<PodRequest> refused(List<KnownNode> nodes);
    }

    /** The pods that fit no node, even an empty one. */
    public List<PodRequest> unplaceable() {
        return pods.stream().filter(pod -> takers(pod) == 0).toList();
    }

    /** A number that is proven to be necessary, if the pods that fit no node are refused. */
    public LowerBound lowerBound() {
        return lowerBound;
    }

    /** The largest number that could help: one new node for each pod that fits there, up to a limit. */
    public int most() {
        return most;
    }

    /** The nodes that exist and so many new ones. */
    public List<KnownNode> nodes(int count) {
        String prefix = "new-";
        while (starts(prefix)) {
            prefix = "more-" + prefix;
        }
        List<KnownNode> nodes = new ArrayList<>(others);
        for (int i = 0; i < count; i++) {
            nodes.add(KnownNode.of(prefix + i, kind.entry()));
        }
        return nodes;
    }

    private boolean starts(String prefix) {
        return others.stream().anyMatch(node -> node.name().startsWith(prefix));
    }

    /** The smallest number that is enough if the pods are placed in their order by that trial. */
    public Optional<Plan> listed(String policy, Trial trial) {
        return plan(most, policy, PodOrder.LISTED, trial);
    }

    /** The pods placed in their order by that scoring. */
    public Trial by(Scoring scoring) {
        return nodes -> refused(nodes, pods, scoring);
    }

    private Optional<Plan> plan(int limit, String policy, PodOrder order, Trial trial) {
        Map<Integer, List<PodRequest>> refused = new HashMap<>();
        OptionalInt nodes = SmallestCount.find(Math.min(lowerBound.nodes(), limit), limit, count -> {
            List<PodRequest> now = trial.refused(nodes(count));
            refused.put(count, now);
            return now.size() <= mayRefuse;
        });
        return nodes.stream()
                .mapToObj(count -> new Plan(count, policy, order, refused.getOrDefault(count, List.of())))
                .findFirst();
    }

    /**
     * The plan with the fewest nodes that any policy, which knows in advance what will come, finds in any of some
     * orders.
     *
     * @param below only a plan with fewer nodes is of interest
     */
    public Optional<Plan> best(int below) {
        Optional<Plan> best = Optional.empty();
        int limit = Math.min(below - 1, most);
        Random random = new Random(1);
        for (PodOrder order : orders(limit)) {
            List<PodRequest> ordered = order.of(pods, this::takers, random);
            for (PolicyKind policy : POLICIES) {
                Trial trial = nodes -> refused(nodes, ordered, scoring(policy, nodes));
                if (limit < lowerBound.nodes()) {
                    return best;
                }
                if (trial.refused(nodes(limit)).size() <= mayRefuse) {
                    best = plan(limit, policy.toString(), order, trial);
                    limit = best.map(Plan::nodes).orElse(limit) - 1;
                }
            }
        }
        return best;
    }

    /** The orders that are tried: each one, and shuffled ones as long as it takes little time. */
    private List<PodOrder> orders(int count) {
        List<PodOrder> orders = new ArrayList<>(List.of(PodOrder.values()));
        long comparisons = Math.max(1, (long) POLICIES.size() * (others.size() + count) * pods.size());
        orders.addAll(Collections.nCopies((int) Math.min(MOST_SHUFFLES, EFFORT / comparisons), PodOrder.SHUFFLED));
        return orders;
    }

    private Scoring scoring(PolicyKind kind, List<KnownNode> nodes) {
        return scorings.computeIfAbsent(nodes.size(), any -> new EnumMap<>(PolicyKind.class))
                .computeIfAbsent(
                        kind,
                        policy -> Policies.knowing(policy, KnownNode.capacity(nodes), pods)
                                .scoring());
    }

    private List<PodRequest> refused(List<KnownNode> nodes, List<PodRequest> ordered, Scoring scoring) {
        NodeChooser chooser = new NodeChooser(nodes);
        List<PodRequest> refused = new ArrayList<>();
        for (PodRequest pod : ordered) {
            Optional<NodeChooser.Chosen> chosen = chooser.choose(scoring, pod);
            chosen.ifPresent(chooser::take);
            if (chosen.isEmpty()) {
                refused.add(pod);
            }
            if (refused.size() > mayRefuse) {
                break;
            }
        }
        return refused;
    }

    /** On how many nodes a pod fits; all new ones count as one. */
    private int takers(PodRequest pod) {
        return takers.getOrDefault(pod, 0);
    }

    private int countTakers(PodRequest pod) {
        return (int) Stream.concat(Stream.of(kind), others.stream())
                .filter(node -> !CardChoice.of(node.entry(), pod).isEmpty())
                .count();
    }
}
