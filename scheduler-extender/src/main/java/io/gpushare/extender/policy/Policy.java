package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.List;
import java.util.function.Supplier;

/** A policy and what it has learned. Not thread-safe; its scorings are. */
public interface Policy {
    /** A policy that learns nothing, for a cluster that does not change. */
    static Policy fixed(Scoring scoring) {
        return new Policy() {
            @Override
            public Scoring scoring() {
                return scoring;
            }

            @Override
            public void arrived(PodRequest pod) {}

            @Override
            public void cluster(ClusterCapacity capacity) {}
        };
    }

    /** The present scoring; the same object until the policy has learned something new. */
    Scoring scoring();

    /** Records a new pod; to be called once per pod, before its first placement. */
    void arrived(PodRequest pod);

    /** Updates the cluster's cards. */
    void cluster(ClusterCapacity capacity);

    /**
     * Compares what the policy does with what it could do, if that is due; not on the path of a request.
     *
     * @param nodes the free capacity of the cluster's nodes
     */
    default void review(Supplier<List<FreeNode>> nodes) {}
}
