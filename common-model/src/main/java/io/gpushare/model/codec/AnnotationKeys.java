package io.gpushare.model.codec;

import io.gpushare.model.text.NearestName;
import io.gpushare.model.text.Printable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The annotation keys under which allocations, inventories and user requirements are written in the API. */
public final class AnnotationKeys {
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

    /** On a pod: the cards that it accepts, a {@link io.gpushare.model.selector.CardSelector}; written by users. */
    public static final String SELECT = "gpushare.io/select";

    /** On a pod: the number of cards over which each container's memory is split evenly; written by users. */
    public static final String CARDS = "gpushare.io/cards";

    /** On a pod: the policy that places it, instead of the extender's own; written by users. */
    public static final String POLICY = "gpushare.io/policy";

    // HAMi's keys on a pod, for the cards that it accepts.
    static final String HAMI_USE_TYPE = "nvidia.com/use-gputype";
    static final String HAMI_NO_TYPE = "nvidia.com/nouse-gputype";
    static final String HAMI_USE_UUID = "nvidia.com/use-gpuuuid";
    static final String HAMI_NO_UUID = "nvidia.com/nouse-gpuuuid";
    static final String HAMI_USE_INDEX = "nvidia.com/use-gpuindexes";
    static final String HAMI_NO_INDEX = "nvidia.com/nouse-gpuindexes";

    /** HAMi's key on a pod, for how nodes are chosen. */
    public static final String HAMI_NODE_POLICY = "hami.io/node-scheduler-policy";

    /** How HAMi chooses cards within a node: words joined by commas. */
    public static final String HAMI_CARD_POLICY = "hami.io/gpu-scheduler-policy";

    // HAMi's key on a pod, for how a card is divided: hami-core, mps or mig.
    static final String HAMI_MODE = "nvidia.com/vgpu-mode";

    /** HAMi's keys on a pod that have no effect here. */
    static final List<String> HAMI_WITHOUT_EFFECT = List.of(
            "hami.io/device-scoring-weights",
            "hami.io/vulkan",
            "nvidia.com/numa-bind",
            "nvidia.com/mig-profile-preference");

    // HAMi's keys that are read.
    private static final List<String> HAMI = List.of(
            HAMI_USE_TYPE,
            HAMI_NO_TYPE,
            HAMI_USE_UUID,
            HAMI_NO_UUID,
            HAMI_USE_INDEX,
            HAMI_NO_INDEX,
            HAMI_NODE_POLICY,
            HAMI_CARD_POLICY,
            HAMI_MODE);

    /** All keys that select cards, in the order in which they are read. */
    public static final List<String> SELECTORS =
            List.of(SELECT, HAMI_USE_TYPE, HAMI_NO_TYPE, HAMI_USE_UUID, HAMI_NO_UUID, HAMI_USE_INDEX, HAMI_NO_INDEX);

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

    private static final String PREFIX = "gpushare.io/";

    private static final Set<String> OURS =
            Set.of(INVENTORY, CORDON, RESERVATION, LABELS, ALLOCATION, CAPACITY_SEEN, SELECT, CARDS, POLICY);

    private static final List<String> FOR_PODS = List.of(CARDS, POLICY, SELECT);

    private AnnotationKeys() {}

    /** Whether it has this project's prefix, or the form of HAMi's keys that are read, and is none of them. */
    public static boolean unknown(String key) {
        return key.startsWith(PREFIX) ? !OURS.contains(key) : misspeltOfHami(key);
    }

    /** Whether it is a key of gpushare that this project reads. */
    public static boolean legacy(String key) {
        return LEGACY_READ.contains(key);
    }

    /**
     * A sentence about an annotation that would have no effect, for its misspelt key or empty value; empty for none.
     */
    static Optional<String> mistake(Map<String, String> annotations) {
        return annotations.keySet().stream()
                .filter(AnnotationKeys::unknown)
                .sorted()
                .findFirst()
                .map(key -> key.startsWith(PREFIX)
                        ? misspelt(key, FOR_PODS, ": pods may have " + String.join(", ", FOR_PODS))
                        : misspelt(key, HAMI, ": of these keys there are " + String.join(", ", HAMI)))
                .or(() -> FOR_PODS.stream()
                        .filter(key -> annotations.getOrDefault(key, "-").isBlank())
                        .findFirst()
                        .map(key -> "annotation " + key + " is empty: write a value, or remove the annotation"));
    }

    /**
     * Whether it has the form of HAMi's keys that select cards, or is almost one that is read. HAMi writes further keys
     * into pods itself.
     */
    private static boolean misspeltOfHami(String key) {
        if (HAMI.contains(key) || HAMI_WITHOUT_EFFECT.contains(key)) {
            return false;
        }
        return key.startsWith("nvidia.com/use-")
                || key.startsWith("nvidia.com/nouse-")
                || ((key.startsWith("nvidia.com/") || key.startsWith("hami.io/"))
                        && NearestName.of(key, HAMI).isPresent());
    }

    private static String misspelt(String key, List<String> known, String otherwise) {
        return "annotation " + Printable.quoted(key) + " is unknown"
                + NearestName.of(key, known)
                        .map(near -> "; did you mean " + near + "?")
                        .orElse(otherwise);
    }
}
