package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;

/** A policy and what it has learned. Not for several threads at once; its scorings are. */
public interface Policy {
    /** A policy that learns nothing, on a cluster that does not change. */
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

    /** What it thinks now; the same object until it has learned something new. */
    Scoring scoring();

    /** A new pod came. To be told once for each pod, before it is placed, however often it is tried again. */
    void arrived(PodRequest pod);

    /** The cluster has other cards now. */
    void cluster(ClusterCapacity capacity);
}
