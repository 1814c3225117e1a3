package io.gpushare.simulation.trace;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.kubernetes.wire.PodJson;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.NodeRules;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes pods accept by their selectors, required affinity and tolerations, from the objects of the API. Nodes
 * that accept the same pods are a pool, and policies know their cards as a model of its own: that of the cards, with
 * the name of the pool's first node.
 */
final class NodePools {
    // A selector has at most so many values.
    private static final int MOST_MODELS = 128;
    private static final Set<String> NO_NODE = Set.of("those of no node, by the pods' selectors, affinity or taints");

    private final Map<String, NodeFacts> nodes = new HashMap<>();
    private final Map<String, NodeRules> pods = new HashMap<>();
    private final Map<NodeRules, NodeRules> shared = new HashMap<>();

    /** Pools of these nodes. */
    final class Pools {
        private final Map<String, List<CardKind>> cards = new LinkedHashMap<>();
        private final Map<String, BitSet> accepting = new HashMap<>(); // by node, the numbers of the rules that do
        private final Map<NodeRules, Integer> numbers = new HashMap<>();
        private final Map<Asked, Set<String>> models = new HashMap<>();

        /** What pods ask for that get cards of the same models. */
        private record Asked(int rule, String profile) {}

        private Pools(Map<String, List<CardKind>> plain, Collection<NodeRules> rules) throws BadInputException {
            rules.forEach(each -> numbers.putIfAbsent(each, numbers.size()));
            Map<BitSet, String> first = new HashMap<>();
            Set<BitSet> withCards = new HashSet<>();
            for (Map.Entry<String, List<CardKind>> node : plain.entrySet()) {
                BitSet key = new BitSet();
                numbers.forEach((each, number) -> key.set(number, admits(each, node.getKey())));
                first.putIfAbsent(key, node.getKey());
                accepting.put(node.getKey(), key);
                if (!node.getValue().isEmpty()) {
                    withCards.add(key);
                    limit(withCards.size());
                }
            }
            plain.forEach((node, kinds) -> cards.put(
                    node,
                    first.size() == 1
                            ? kinds
                            : kinds.stream()
                                    .map(kind -> named(kind, " like " + first.get(accepting.get(node))))
                                    .toList()));
            if (first.size() > 1) {
                limit(cards.values().stream()
                        .flatMap(Collection::stream)
                        .map(CardKind::model)
                        .distinct()
                        .count());
            }
        }

        private static void limit(long models) throws BadInputException {
            if (models > MOST_MODELS) {
                throw new BadInputException("the pods' selectors, affinity and tolerations make more than "
                        + MOST_MODELS + " models of the cards: leave Nodes and Pods out of the file");
            }
        }

        /** The cards of each node, named by its pool if there are several. */
        Map<String, List<CardKind>> cards() {
            return cards;
        }

        /** The models of the nodes that the pod accepts; empty for all. */
        Set<String> models(String pod, String profile) {
            @Nullable NodeRules its = pods.get(pod);
            @Nullable Integer rule = its == null ? null : numbers.get(its);
            return rule == null ? Set.of() : models.computeIfAbsent(new Asked(rule, profile), this::models);
        }

        private Set<String> models(Asked asked) {
            Set<String> accepted = accepting.entrySet().stream()
                    .filter(node -> node.getValue().get(asked.rule()))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
            if (accepted.size() == accepting.size()) {
                return Set.of();
            }
            Set<String> found = cards.entrySet().stream()
                    .filter(node -> accepted.contains(node.getKey()))
                    .flatMap(node -> node.getValue().stream())
                    .map(CardKind::model)
                    .filter(model -> asked.profile().isEmpty()
                            || MigProfile.profile(model).equals(asked.profile()))
                    .collect(Collectors.toCollection(TreeSet::new));
            return found.isEmpty() ? NO_NODE : found;
        }
    }

    private boolean admits(NodeRules rules, String node) {
        @Nullable NodeFacts facts = nodes.get(node);
        return facts == null || rules.admit(facts);
    }

    private static CardKind named(CardKind kind, String pool) {
        String model = MigProfile.model(kind.model()) + pool;
        return kind.instance()
                ? CardKind.instance(MigProfile.title(model, MigProfile.profile(kind.model())), kind.units())
                : new CardKind(model, kind.units());
    }

    /**
     * Adds a Node or a Pod; others are ignored. A DaemonSet has a pod on each of its nodes, which is nobody's choice.
     */
    void add(JsonNode object) {
        if (object.path("kind").asText().equals("Node")) {
            NodeFacts facts = NodeState.of(object).facts();
            nodes.put(facts.name(), facts);
        } else if (object.path("kind").asText().equals("Pod")) {
            PodJson pod = new PodJson(object);
            boolean ofDaemonSet = pod.metadata()
                    .path("ownerReferences")
                    .valueStream()
                    .anyMatch(owner -> owner.path("kind").asText().equals("DaemonSet"));
            NodeRules rules = pod.nodeRules();
            if (!ofDaemonSet && rules.size() <= NodeRules.MOST) {
                pods.put(pod.ref().toString(), shared.computeIfAbsent(rules, Function.identity()));
            }
        }
    }

    /** Whether nodes and pods were read. */
    boolean known() {
        return !nodes.isEmpty() && !pods.isEmpty();
    }

    /** The pools of the nodes with these cards, for the pods with these names. */
    Pools of(Map<String, List<CardKind>> cards, Collection<String> names) throws BadInputException {
        return new Pools(
                cards, names.stream().filter(pods::containsKey).map(pods::get).toList());
    }
}
