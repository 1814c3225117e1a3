package io.gpushare.model.pod;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * What the kubelet reports of a pod.
 *
 * @param rejection of a pod that ended, the message of its kubelet if that could not allocate its devices; empty for
 *     nothing
 * @param started the names of the started containers by container ID, without the runtime's prefix; empty where the
 *     pods of all nodes are watched, except those with claims
 */
public record KubeletReport(Admission admission, String rejection, Map<String, String> started) {
    private static final Map<Admission, KubeletReport> PLAIN = new EnumMap<>(Admission.class);

    static {
        for (Admission each : Admission.values()) {
            PLAIN.put(each, new KubeletReport(each, "", Map.of()));
        }
    }

    public KubeletReport {
        started = Map.copyOf(started);
    }

    /** How far the kubelet is with a pod. */
    public enum Admission {
        /** It has not reported the pod. */
        PENDING,
        /** It runs, starts or has run the pod's containers. */
        ADMITTED,
        /** It failed the pod without any container. */
        REJECTED
    }

    /** No more than that; all pods share it. */
    public static KubeletReport of(Admission admission) {
        return Objects.requireNonNull(PLAIN.get(admission));
    }
}
