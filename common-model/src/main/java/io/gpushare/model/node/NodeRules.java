package io.gpushare.model.node;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes a pod accepts: its node selector, required node affinity and tolerations.
 *
 * @param terms the terms of its required node affinity, of which one must match; null if it has none
 */
public record NodeRules(
        Map<String, String> selector, @Nullable List<Term> terms, List<Toleration> tolerations) {
    /** Those of a pod that may be on every node, as far as is known. */
    public static final NodeRules ANY = new NodeRules(Map.of(), null, List.of(new Toleration("", "Exists", "", "")));

    /** A term of a node affinity: all its requirements must be met. */
    public record Term(List<LabelRequirement> labels, List<LabelRequirement> fields) {
        public Term {
            labels = List.copyOf(labels);
            fields = List.copyOf(fields);
        }

        private boolean matches(NodeFacts node) {
            Map<String, String> nodeFields = Map.of("metadata.name", node.name());
            return !(labels.isEmpty() && fields.isEmpty())
                    && labels.stream().allMatch(each -> each.matches(node.labels()))
                    && fields.stream().allMatch(each -> each.matches(nodeFields));
        }
    }

    public NodeRules {
        selector = Map.copyOf(selector);
        terms = terms == null ? null : List.copyOf(terms);
        tolerations = List.copyOf(tolerations);
    }

    /** Those of a pod with more are not kept: checking them for thousands of nodes takes time. */
    public static final int MOST = 1000;

    /** The number of conditions and their values. */
    public int size() {
        int size = selector.size() + tolerations.size();
        for (Term term : terms == null ? List.<Term>of() : terms) {
            size += 1 + size(term.labels()) + size(term.fields());
        }
        return size;
    }

    private static int size(List<LabelRequirement> requirements) {
        return requirements.stream().mapToInt(each -> 1 + each.values().size()).sum();
    }

    /** Whether the pod accepts that node. */
    public boolean admit(NodeFacts node) {
        return mismatch(node) == null;
    }

    /** What keeps the pod from that node; null if nothing does. */
    public @Nullable NodeMismatch mismatch(NodeFacts node) {
        if (!node.labels().entrySet().containsAll(selector.entrySet())) {
            return NodeMismatch.SELECTOR;
        }
        if (terms != null && terms.stream().noneMatch(term -> term.matches(node))) {
            return NodeMismatch.AFFINITY;
        }
        @Nullable Taint taint = deciding(node);
        return taint == null ? null : mismatch(taint);
    }

    /**
     * The taint that keeps the pod from the node, whatever else does: one that stays, if there is one; null for none.
     */
    public @Nullable Taint deciding(NodeFacts node) {
        return untolerated(node).stream()
                .min(Comparator.comparing(Taint::passing))
                .orElse(null);
    }

    private static NodeMismatch mismatch(Taint taint) {
        return taint.cordon() ? NodeMismatch.CORDONED : taint.notReady() ? NodeMismatch.NOT_READY : NodeMismatch.TAINT;
    }

    /** The taints of the node that keep the pod from it. */
    public List<Taint> untolerated(NodeFacts node) {
        return node.taints().stream()
                .filter(taint -> taint.excludes() && tolerations.stream().noneMatch(each -> each.tolerates(taint)))
                .toList();
    }
}
