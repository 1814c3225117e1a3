package io.gpushare.extender.preemption;

import java.util.List;

/**
 * The pods of one node that would be evicted.
 *
 * @param uids in kube-scheduler's order, by which it reads off the highest priority: that of the first
 * @param pdbViolations how many of them a PodDisruptionBudget would keep, as kube-scheduler counted
 */
public record Victims(List<String> uids, long pdbViolations) {
    public Victims {
        uids = List.copyOf(uids);
    }
}
