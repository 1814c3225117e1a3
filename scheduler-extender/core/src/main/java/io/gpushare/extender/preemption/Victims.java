package io.gpushare.extender.preemption;

import java.util.List;

/**
 * The pods of one node that would be evicted.
 *
 * @param uids in kube-scheduler's order: it takes the first pod's priority for the highest
 * @param pdbViolations how many evictions violate a PodDisruptionBudget, as counted by kube-scheduler
 */
public record Victims(List<String> uids, long pdbViolations) {
    public Victims {
        uids = List.copyOf(uids);
    }
}
