package io.gpushare.extender.simulation;

/**
 * What one replay came to.
 *
 * @param allocated by per cent of capacity that has arrived, from 0: per cent of capacity that is allocated then. The last
 *     one is the end
 * @param arrived per cent of capacity that has arrived at the end
 * @param pods that came, of which {@code refused} fitted nowhere
 * @param nanos what all decisions took
 */
@SuppressWarnings("ArrayRecordComponent") // made once, read only
record Curve(double[] allocated, double arrived, int pods, int refused, long nanos) {
    double end() {
        return allocated[allocated.length - 1];
    }

    /** At that per cent arrived; the end where less came. */
    double at(int percent) {
        return allocated[Math.min(percent, allocated.length - 1)];
    }

    double decisionsPerSecond() {
        return pods * 1e9 / Math.max(1, nanos);
    }
}
