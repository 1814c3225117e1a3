package io.gpushare.extender.simulation.trace;

import io.gpushare.extender.capacity.CardKind;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The nodes of a trace, without pods. */
public final class NodeTrace {
    /** openb counts shares of a card in thousandths. */
    static final int MILLI = 1000;

    private record Node(int cpuMilli, int memoryMib, int count, List<CardKind> cards) {}

    private final Map<String, Node> nodes = new LinkedHashMap<>();

    private NodeTrace() {}

    /**
     * Reads openb's columns {@code sn,cpu_milli,memory_mib,gpu,model}, or ours, {@code
     * node,cpu_milli,memory_mib,cards,card_units,model} and perhaps {@code count}.
     */
    public static NodeTrace read(Path path) throws BadInputException {
        Csv csv = Csv.read(path);
        NodeTrace list = new NodeTrace();
        for (Csv.Row row : csv.rows()) {
            if (csv.has("sn")) {
                list.add(row, "sn", row.number("gpu", 0), MILLI);
            } else {
                int cards = row.number("cards", 0);
                list.add(row, "node", cards, row.number("card_units", cards == 0 ? 0 : 1));
            }
        }
        if (list.nodes.values().stream().allMatch(node -> node.cards.isEmpty())) {
            throw new BadInputException(path + " lists no card: there is nothing to place pods on");
        }
        return list;
    }

    private void add(Csv.Row row, String nameColumn, int cards, int units) throws BadInputException {
        String name = row.text(nameColumn);
        if (name.isEmpty()) {
            throw row.invalid("the node has no name");
        }
        Node node = new Node(row.number("cpu_milli", 0), row.number("memory_mib", 0), row.count(), new ArrayList<>());
        @Nullable Node same = nodes.putIfAbsent(name, node);
        if (same != null) {
            if (same.cpuMilli != node.cpuMilli || same.memoryMib != node.memoryMib || same.count != node.count) {
                throw row.invalid("node " + name + " appears above with another cpu, memory or count:"
                        + " the rows of one node differ in their cards only");
            }
            node = same;
        }
        for (int i = 0; i < cards; i++) {
            node.cards.add(new CardKind(row.text("model"), units));
        }
    }

    /** The empty nodes; each salt gives them another fixed order. */
    public List<FreeNode> nodes(long salt) {
        List<FreeNode> empty = new ArrayList<>();
        nodes.forEach((name, node) -> {
            List<FreeCard> cards = new ArrayList<>();
            node.cards.forEach(kind -> cards.add(FreeCard.unused(cards.size(), kind)));
            for (int i = 1; i <= node.count; i++) {
                String instance = node.count == 1 ? name : name + "-" + i;
                empty.add(FreeNode.of(instance, salt, node.cpuMilli, node.memoryMib, cards));
            }
        });
        return empty;
    }
}
