package io.gpushare.model.codec;

import java.util.Set;

/**
 * The annotation keys under which the programs and other schedulers write into the API. Those in which users request
 * cards are in {@code model.request}.
 */
public final class AnnotationKeys {
    /** Kubernetes' own: the pod stands for a static pod, which the kubelet knows by another uid. */
    public static final String MIRROR = "kubernetes.io/config.mirror";

    /** On a node: its {@link io.gpushare.model.card.Inventory}, written by its device plugin. */
    public static final String INVENTORY = "gpushare.io/inventory";

    /** On a node: the UUIDs of the cards that accept no new pods, separated by commas; written by operators. */
    public static final String CORDON = "gpushare.io/cordon";

    /**
     * On a node: cards that accept no new pods while pods are moved away; written by whoever moves them.
     */
    public static final String RESERVATION = "gpushare.io/hold";

    /** On a node: the labels that its device plugin wrote, so that it changes no others. */
    public static final String LABELS = "gpushare.io/labels";

    /** On a pod: its {@link io.gpushare.model.Allocation}, written when it is bound. */
    public static final String ALLOCATION = "gpushare.io/allocation";

    /** On a waiting pod: when it was found to fit. Writing it makes kube-scheduler retry the pod. */
    public static final String CAPACITY_SEEN = "gpushare.io/room-seen";

    /** On a device plugin's pod: the port of its metrics. */
    public static final String METRICS_PORT = "prometheus.io/port";

    // gpushare's own keys on a pod. Its command line and its users' scripts read them.
    // This project reads three of them, on pods that gpushare bound.
    public static final String LEGACY_INDEX = "ALIYUN_COM_GPU_MEM_IDX";
    public static final String LEGACY_CARD_UNITS = "ALIYUN_COM_GPU_MEM_DEV";
    public static final String LEGACY_ASSIGNED = "ALIYUN_COM_GPU_MEM_ASSIGNED";
    static final String LEGACY_POD_UNITS = "ALIYUN_COM_GPU_MEM_POD";
    static final String LEGACY_ASSUME_TIME = "ALIYUN_COM_GPU_MEM_ASSUME_TIME";

    private static final Set<String> LEGACY_READ = Set.of(LEGACY_INDEX, LEGACY_CARD_UNITS, LEGACY_ASSIGNED);
    private static final Set<String> OURS = Set.of(INVENTORY, CORDON, RESERVATION, LABELS, ALLOCATION, CAPACITY_SEEN);

    private AnnotationKeys() {}

    /** Whether this project writes it, or operators for it. */
    public static boolean ours(String key) {
        return OURS.contains(key);
    }

    /** Whether it is a key of gpushare that this project reads. */
    public static boolean legacy(String key) {
        return LEGACY_READ.contains(key);
    }
}
