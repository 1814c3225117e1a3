package io.gpushare.extender.eviction;

import io.gpushare.kubernetes.eviction.DisruptionBudget;
import io.gpushare.kubernetes.eviction.PodDetails;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which evictions the PodDisruptionBudgets forbid, of several together: each eviction takes one from each budget that
 * selects its pod, as kube-scheduler counts them.
 */
final class BudgetCheck {
    private BudgetCheck() {}

    /**
     * The uids of the pods whose eviction a budget forbids, if the pods are evicted in that order.
     *
     * @param budgets by namespace; a namespace without an entry could not be read, and its pods are not evicted
     */
    static Set<String> forbidden(List<PodDetails> pods, Map<String, List<DisruptionBudget>> budgets) {
        Set<String> forbidden = new HashSet<>();
        // Budgets of two namespaces may be equal.
        IdentityHashMap<DisruptionBudget, Integer> taken = new IdentityHashMap<>();
        for (PodDetails pod : pods) {
            List<DisruptionBudget> all = budgets.get(pod.ref().namespace());
            if (all == null) {
                forbidden.add(pod.ref().uid());
                continue;
            }
            List<DisruptionBudget> selecting =
                    all.stream().filter(budget -> budget.selects(pod.labels())).toList();
            // The API server evicts no pod that two budgets select.
            boolean allowed = selecting.size() <= 1
                    && selecting.stream().allMatch(budget -> taken.getOrDefault(budget, 0) < budget.allowed());
            if (allowed) {
                selecting.forEach(budget -> taken.merge(budget, 1, Integer::sum));
            } else {
                forbidden.add(pod.ref().uid());
            }
        }
        return forbidden;
    }
}
