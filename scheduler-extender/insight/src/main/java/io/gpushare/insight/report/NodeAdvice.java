package io.gpushare.insight.report;

import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.NodeMismatch;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.node.Taint;
import io.gpushare.model.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the owner of a pod may do that accepts none of the nodes with cards, in sentences. */
final class NodeAdvice {
    private static final int MOST = 5;
    private static final int LONGEST = 80;

    private NodeAdvice() {}

    static List<String> sentences(NodeRules rules, List<NodeVerdict> nodes) {
        List<NodeFacts> facts =
                nodes.stream().flatMap(node -> Stream.ofNullable(node.facts())).toList();
        Map<NodeMismatch, List<NodeFacts>> by =
                facts.stream().collect(Collectors.groupingBy(node -> mismatch(rules, node)));
        List<String> sentences = new ArrayList<>();
        if (by.containsKey(NodeMismatch.SELECTOR)) {
            sentences.addAll(selector(rules.selector(), facts));
        }
        if (by.containsKey(NodeMismatch.AFFINITY)) {
            sentences.add("Its required node affinity excludes " + names(by.get(NodeMismatch.AFFINITY)) + ".");
        }
        if (by.containsKey(NodeMismatch.TAINT)) {
            List<NodeFacts> tainted = by.get(NodeMismatch.TAINT);
            sentences.add("It does not tolerate "
                    + listed(tainted.stream()
                            .flatMap(node -> rules.untolerated(node).stream())
                            .map(Taint::toString)
                            .collect(Collectors.toCollection(TreeSet::new)))
                    + ", the taints of " + names(tainted) + ".");
        }
        if (by.containsKey(NodeMismatch.CORDONED)) {
            sentences.add("Uncordon a node: " + names(by.get(NodeMismatch.CORDONED)) + ".");
        }
        if (by.containsKey(NodeMismatch.NOT_READY)) {
            sentences.add("Not ready: " + names(by.get(NodeMismatch.NOT_READY)) + ".");
        }
        return sentences;
    }

    private static NodeMismatch mismatch(NodeRules rules, NodeFacts node) {
        @Nullable NodeMismatch mismatch = rules.mismatch(node);
        return mismatch == null ? NodeMismatch.TAINT : mismatch;
    }

    /** The labels that no node has, each with what there is; or that no node has all of them. */
    private static List<String> selector(Map<String, String> selector, List<NodeFacts> nodes) {
        List<String> sentences = new ArrayList<>();
        new TreeMap<>(selector).forEach((key, value) -> {
            Set<String> present = nodes.stream()
                    .flatMap(node -> Stream.ofNullable(node.labels().get(key)))
                    .collect(Collectors.toCollection(TreeSet::new));
            if (!present.contains(value)) {
                sentences.add("No node with cards has the label " + printable(key + "=" + value)
                        + ", which its nodeSelector requires"
                        + (present.isEmpty()
                                ? ", nor another value of it."
                                : "; present are " + listed(present) + "."));
            }
        });
        return sentences.isEmpty()
                ? List.of("No node with cards that has all the labels of its nodeSelector is left: "
                        + listed(new TreeMap<>(selector)
                                .entrySet().stream()
                                        .map(label -> label.getKey() + "=" + label.getValue())
                                        .collect(Collectors.toCollection(TreeSet::new)))
                        + ".")
                : sentences;
    }

    private static String names(List<NodeFacts> nodes) {
        return "node" + (nodes.size() == 1 ? " " : "s ")
                + listed(nodes.stream().map(NodeFacts::name).collect(Collectors.toCollection(TreeSet::new)));
    }

    private static String listed(Set<String> all) {
        String first = all.stream().limit(MOST).map(NodeAdvice::printable).collect(Collectors.joining(", "));
        return all.size() > MOST ? first + " and " + (all.size() - MOST) + " more" : first;
    }

    private static String printable(String text) {
        return Printable.line(text, LONGEST);
    }
}
