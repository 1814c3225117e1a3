package io.gpushare.extender.preemption;

import io.gpushare.extender.ledger.PodEntry;
import java.util.List;
import java.util.Objects;

/** What the evictions for a waiting pod could be. */
public sealed interface EvictionPlan {
    /** The pod fits on that node now. */
    record NotNeeded(String node) implements EvictionPlan {
        public NotNeeded {
            Objects.requireNonNull(node);
        }
    }

    /** No eviction makes the pod fit on any node. */
    record NotPossible() implements EvictionPlan {}

    /**
     * Once these pods and those that terminate anyway are gone, the pod fits on that node.
     *
     * @param victims the least important last; empty if waiting is enough
     */
    record Evict(String node, List<PodEntry> victims, Harm harm) implements EvictionPlan {
        public Evict {
            Objects.requireNonNull(node);
            Objects.requireNonNull(harm);
            victims = List.copyOf(victims);
        }

        /** Whether the other plan evicts the same pods there. */
        boolean samePods(Evict other) {
            return node.equals(other.node)
                    && victims.stream()
                            .map(PodEntry::ref)
                            .toList()
                            .equals(other.victims.stream().map(PodEntry::ref).toList());
        }
    }
}
