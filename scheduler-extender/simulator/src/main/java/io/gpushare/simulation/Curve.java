package io.gpushare.simulation;

import io.gpushare.simulation.trace.PodClass;
import java.util.Map;

/**
 * The result of one replay.
 *
 * @param allocated by per cent of capacity that has arrived, from 0: per cent of capacity that is allocated then. The
 *     last element is the end
 * @param arrived per cent of capacity that has arrived at the end
 * @param pods the number of pods that arrived, including those that fitted no node
 * @param refusedByClass the refused ones
 * @param nanos the duration of all decisions
 */
@SuppressWarnings("ArrayRecordComponent") // made once, read only
record Curve(double[] allocated, double arrived, int pods, Map<PodClass, Integer> refusedByClass, long nanos) {
    Curve {
        refusedByClass = Map.copyOf(refusedByClass);
    }

    int refused() {
        return refusedByClass.values().stream().mapToInt(Integer::intValue).sum();
    }

    double end() {
        return allocated[allocated.length - 1];
    }

    /** The allocation when that per cent has arrived; the end if less arrived. */
    double at(int percent) {
        return allocated[Math.min(percent, allocated.length - 1)];
    }

    double decisionsPerSecond() {
        return pods * 1e9 / Math.max(1, nanos);
    }
}
