package io.gpushare.simulation;

import io.gpushare.extender.pod.PodRequest;
import java.util.OptionalLong;

/** Places pods on a cluster, one after the other. */
@FunctionalInterface
interface Placer {
    /** Places the pod for good and returns the units of its cards; empty if it fits no node. */
    OptionalLong place(PodRequest pod);
}
