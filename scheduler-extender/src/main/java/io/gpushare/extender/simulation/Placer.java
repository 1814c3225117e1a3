package io.gpushare.extender.simulation;

import io.gpushare.extender.capacity.PodRequest;
import java.util.OptionalLong;

/** Puts pods on a cluster, one after the other. */
@FunctionalInterface
interface Placer {
    /** Places the pod for ever and answers the units of the cards that it got; empty when it fits nowhere. */
    OptionalLong place(PodRequest pod);
}
