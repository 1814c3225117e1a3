package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.DemandHistory;
import io.gpushare.extender.policy.scoring.Fragmentation;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The policies that a running cluster may use, each learning from the same pods. For several threads at once. */
public final class Policies {
    private final PolicyKind usual;
    private final Map<PolicyKind, Policy> policies = new EnumMap<>(PolicyKind.class);
    private final DemandHistory seen = new DemandHistory();

    /** @param usual for pods that name none */
    public Policies(PolicyKind usual) {
        this.usual = usual;
        ClusterCapacity nothing = new ClusterCapacity(Map.of(), 1, 1);
        PolicyKind.offered().forEach(kind -> policies.put(kind, kind.fromNothing(nothing, 0)));
    }

    /** What that policy thinks now; the usual one for null. */
    public synchronized Scoring scoring(@Nullable PolicyKind kind) {
        @Nullable Policy policy = policies.get(kind == null ? usual : kind);
        if (policy == null) {
            throw new IllegalArgumentException(kind + " is not a policy to run a cluster with");
        }
        return policy.scoring();
    }

    /** Of what use free room is to the pods that came so far. */
    public Fragmentation fragmentation() {
        Map<PodRequest, Double> kinds;
        // Filter waits for this lock, too: sorting is done outside.
        synchronized (this) {
            kinds = Map.copyOf(seen.kinds());
        }
        return Fragmentation.of(kinds);
    }

    /** A new pod came: to be told once for each. */
    public synchronized void arrived(PodRequest pod) {
        seen.add(pod);
        policies.values().forEach(policy -> policy.arrived(pod));
    }

    /** The cluster has these cards now. */
    public synchronized void cluster(ClusterCapacity capacity) {
        policies.values().forEach(policy -> policy.cluster(capacity));
    }
}
