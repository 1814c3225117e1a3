package io.gpushare.extender.eviction;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.kubernetes.Evictions;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.eviction.DisruptionBudget;
import io.gpushare.kubernetes.eviction.PodDetails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether pods can be evicted together, before the first one is: each is read from the API server, their budgets are
 * counted, and the API server tests each eviction. A set that can be evicted only in part would be evicted for nothing.
 */
public final class VictimCheck {
    private static final Logger LOG = LoggerFactory.getLogger(VictimCheck.class);
    // A budget forbids it, or several do, another pod has the name now, or an admission webhook denies it.
    private static final Set<Integer> OF_THE_POD = Set.of(400, 409, 422, 429, 500);

    /** What the check found. */
    public sealed interface Result {
        /** All can be evicted; the longest may take that time to end. */
        record Clear(Duration grace) implements Result {}

        /** These, by uid, can't be evicted now. */
        record Spare(Set<String> uids) implements Result {
            public Spare {
                uids = Set.copyOf(uids);
            }
        }

        /** The ledger is behind: a pod is gone, or is another one. */
        record Changed() implements Result {}
    }

    private final Evictions api;

    public VictimCheck(Evictions api) {
        this.api = api;
    }

    public Result check(String node, List<PodEntry> victims) throws KubernetesException {
        List<PodDetails> pods = new ArrayList<>();
        for (PodEntry victim : victims) {
            Optional<PodDetails> pod = api.pod(
                            victim.ref().namespace(), victim.ref().name())
                    .filter(found -> found.ref().uid().equals(victim.ref().uid())
                            && node.equals(found.node())
                            && found.priority() == victim.priority().value()
                            && !found.ended()
                            && !found.deleting());
            if (pod.isEmpty()) {
                return new Result.Changed();
            }
            pods.add(pod.get());
        }
        Set<String> spared = new HashSet<>(BudgetCheck.forbidden(pods, budgets(pods)));
        for (PodDetails pod : pods) {
            if (pod.preemption().mirror() || (!spared.contains(pod.ref().uid()) && refused(pod))) {
                spared.add(pod.ref().uid());
            }
        }
        return spared.isEmpty()
                ? new Result.Clear(pods.stream()
                        .map(pod -> pod.preemption().grace())
                        .max(Duration::compareTo)
                        .orElse(Duration.ZERO))
                : new Result.Spare(spared);
    }

    private Map<String, List<DisruptionBudget>> budgets(List<PodDetails> pods) throws KubernetesException {
        Map<String, List<DisruptionBudget>> budgets = new HashMap<>();
        for (PodDetails pod : pods) {
            String namespace = pod.ref().namespace();
            if (budgets.containsKey(namespace)) {
                continue;
            }
            try {
                budgets.put(namespace, api.budgets(namespace));
            } catch (KubernetesException e) {
                if (e.status() != 413) {
                    throw e;
                }
                LOG.debug("no pod of namespace {} is evicted: {}", namespace, e.getMessage());
            }
        }
        return budgets;
    }

    private boolean refused(PodDetails pod) throws KubernetesException {
        try {
            api.dryRun(pod.ref());
            return false;
        } catch (KubernetesException e) {
            // Any other failure is not the pod's; 403 is, unless the permission is gone.
            boolean ofThePod = OF_THE_POD.contains(e.status()) || (e.status() == 403 && api.permitted());
            if (!ofThePod) {
                throw e;
            }
            LOG.debug("pod {} can't be evicted now: {}", pod.ref(), e.getMessage());
            return true;
        }
    }
}
