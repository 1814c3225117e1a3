package io.gpushare.simulation.trace;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import io.gpushare.model.selector.FactValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The nodes of a trace, without pods. */
public final class NodeTrace {
    /** openb counts shares of a card in thousandths. */
    static final int MILLI = 1000;

    /** The most cards of a node, and of a pod. */
    static final int MAX_CARDS = 256;

    private static final int MAX_NODES = 100_000;

    private record Node(int cpuMilli, int memoryMib, int count, List<CardKind> cards) {
        /** Whether a card has that model, named in full or by words of it, as in selectors. */
        boolean has(String model) {
            return cards.stream()
                    .map(CardKind::model)
                    .anyMatch(each ->
                            each.equals(model) || new FactValue.Model(model).matches(new FactValue.Model(each)));
        }
    }

    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();

    private NodeTrace() {}

    /**
     * Reads openb's columns {@code sn,cpu_milli,memory_mib,gpu,model}, or ours, {@code
     * node,cpu_milli,memory_mib,cards,card_units,model} and perhaps {@code mig}, the profiles of the instances into
     * which each of these cards is cut, and {@code count}.
     */
    public static NodeTrace read(Path path) throws BadInputException {
        Csv csv = Csv.read(path);
        NodeTrace list = new NodeTrace();
        for (Csv.Row row : csv.rows()) {
            if (csv.has("sn")) {
                list.add(row, "sn", row.number("gpu", 0, MAX_CARDS), MILLI);
            } else {
                int cards = row.number("cards", 0, MAX_CARDS);
                list.add(row, "node", cards, row.number("card_units", cards == 0 ? 0 : 1));
            }
        }
        if (!list.hasCards()) {
            throw new BadInputException(path + " lists no card: there is nothing to place pods on");
        }
        return list;
    }

    /** A list without nodes. */
    static NodeTrace empty() {
        return new NodeTrace();
    }

    boolean hasCards() {
        return nodes.values().stream().anyMatch(node -> !node.cards.isEmpty());
    }

    /** Adds a node of which only the cards are known. */
    void add(String name, List<CardKind> cards) throws BadInputException {
        if (names.size() >= MAX_NODES || cards.size() > MAX_CARDS) {
            throw new BadInputException(
                    "a cluster has at most " + MAX_NODES + " nodes with " + MAX_CARDS + " cards each");
        }
        if (!names.add(name)) {
            throw new BadInputException("there are two nodes " + name + ": name each response once");
        }
        nodes.put(name, new Node(0, 0, 1, cards));
    }

    private void add(Csv.Row row, String nameColumn, int cards, int units) throws BadInputException {
        String name = row.name(nameColumn);
        Node node = new Node(row.number("cpu_milli", 0), row.number("memory_mib", 0), row.count(), new ArrayList<>());
        @Nullable Node same = nodes.putIfAbsent(name, node);
        if (same != null) {
            if (same.cpuMilli != node.cpuMilli || same.memoryMib != node.memoryMib || same.count != node.count) {
                throw row.invalid("node " + name + " appears above with another cpu, memory or count:"
                        + " the rows of one node differ in their cards only");
            }
            node = same;
        } else {
            addNames(row, name, node.count);
        }
        List<CardKind> each = cut(row, units);
        if (node.cards.size() + cards * each.size() > MAX_CARDS) {
            throw row.invalid("node " + name + " has more than " + MAX_CARDS + " cards");
        }
        for (int i = 0; i < cards; i++) {
            node.cards.addAll(each);
        }
    }

    /** What one card of that row is: itself, or the instances into which it is cut. */
    private static List<CardKind> cut(Csv.Row row, int units) throws BadInputException {
        String model = row.text("model");
        if (row.optional("mig").isEmpty()) {
            return units == 0 ? List.of() : List.of(new CardKind(model, units));
        }
        List<MigProfile> cut = new ArrayList<>();
        for (String each : row.text("mig").split("\\|", -1)) {
            cut.add(row.profile(each));
        }
        String fault = MigProfile.fault(cut, units);
        if (!fault.isEmpty()) {
            throw row.invalid("column mig: " + fault);
        }
        return cut.stream().map(profile -> profile.kind(model)).toList();
    }

    /**
     * The same pods with the cards of these nodes that they may have: a model includes its instances, and who takes an
     * instance whole has the memory of those with its profile. What no node has stays as it is.
     */
    UnaryOperator<PodRequest> resolver() {
        List<CardKind> kinds = nodes.values().stream()
                .flatMap(node -> node.cards.stream())
                .filter(CardKind::instance)
                .distinct()
                .toList();
        Map<PodRequest, PodRequest> known = new HashMap<>();
        return pod -> pod.models().isEmpty() || kinds.isEmpty()
                ? pod
                : known.computeIfAbsent(pod, any -> resolved(pod, kinds));
    }

    private static PodRequest resolved(PodRequest pod, List<CardKind> instances) {
        Set<String> models = new HashSet<>(pod.models());
        Share share = pod.share();
        List<CardKind> named = instances.stream()
                .filter(kind -> pod.models().stream().anyMatch(name -> MigProfile.names(name, kind.model())))
                .toList();
        if (share.instances() > 0 && !named.isEmpty()) {
            models.clear();
            share = share.withUnits(
                    named.stream().mapToInt(CardKind::units).min().orElseThrow());
        }
        named.forEach(kind -> models.add(kind.model()));
        return new PodRequest(pod.cpuMilli(), pod.memoryMib(), share, pod.cards(), models);
    }

    private void addNames(Csv.Row row, String name, int count) throws BadInputException {
        if (count > MAX_NODES - names.size()) {
            throw row.invalid("the cluster has more than " + MAX_NODES + " nodes by here: reduce count");
        }
        for (int i = 1; i <= count; i++) {
            if (!names.add(instance(name, count, i))) {
                throw row.invalid("there are two nodes " + instance(name, count, i) + ": rename one");
            }
        }
    }

    /** The nodes without cards of that model, empty. */
    public List<KnownNode> without(String model) {
        NodeTrace others = new NodeTrace();
        nodes.forEach((name, node) -> {
            if (!node.has(model)) {
                others.nodes.put(name, node);
            }
        });
        return others.nodes(0);
    }

    /** One of the nodes with cards of that model, empty; they must be equal. */
    public KnownNode like(String model) throws BadInputException {
        List<Node> like = nodes.values().stream()
                .filter(node -> node.has(model))
                .map(node -> new Node(node.cpuMilli, node.memoryMib, 1, node.cards))
                .distinct()
                .toList();
        if (like.isEmpty()) {
            throw new BadInputException(
                    "no node has cards of model '" + model + "': write one of " + String.join(", ", models()));
        }
        if (like.size() > 1) {
            throw new BadInputException("nodes with cards of model " + model
                    + " differ in cpu, memory, cards or the pods that they accept: write one of "
                    + String.join(", ", models()) + ", or use a list in which they are equal");
        }
        return node(model, 0, like.getFirst());
    }

    /** The models of all cards. */
    public Set<String> models() {
        return nodes.values().stream()
                .flatMap(node -> node.cards.stream())
                .map(CardKind::model)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The number of nodes that have cards of that model. */
    public int count(String model) {
        return nodes.values().stream()
                .filter(node -> node.has(model))
                .mapToInt(Node::count)
                .sum();
    }

    private static String instance(String name, int count, int number) {
        return count == 1 ? name : name + "-" + number;
    }

    /** The empty nodes; each salt gives them another fixed order. */
    public List<KnownNode> nodes(long salt) {
        List<KnownNode> empty = new ArrayList<>();
        nodes.forEach((name, node) -> {
            for (int i = 1; i <= node.count; i++) {
                empty.add(node(instance(name, node.count, i), salt, node));
            }
        });
        return empty;
    }

    private static KnownNode node(String name, long salt, Node node) {
        return TraceNodes.node(name, salt, new HostResources(node.cpuMilli, node.memoryMib), node.cards);
    }
}
