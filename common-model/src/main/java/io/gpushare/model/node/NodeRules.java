package io.gpushare.model.node;

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

    /** The number of conditions: checking them for thousands of nodes takes time. */
    public int size() {
        int size = selector.size() + tolerations.size();
        for (Term term : terms == null ? List.<Term>of() : terms) {
            size += 1 + term.labels().size() + term.fields().size();
        }
        return size;
    }

    /** Whether the pod accepts that node. */
    public boolean admit(NodeFacts node) {
        return node.labels().entrySet().containsAll(selector.entrySet())
                && (terms == null || terms.stream().anyMatch(term -> term.matches(node)))
                && node.taints().stream()
                        .filter(Taint::excludes)
                        .allMatch(taint -> tolerations.stream().anyMatch(each -> each.tolerates(taint)));
    }
}
