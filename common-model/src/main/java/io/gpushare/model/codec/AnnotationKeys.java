package io.gpushare.model.codec;

import java.util.List;

/** The keys under which the truth is written in the API, and a pod's wishes. */
public final class AnnotationKeys {
    /** On a node: its {@link io.gpushare.model.card.Inventory}, written by its device plugin. */
    public static final String INVENTORY = "gpushare.io/inventory";

    /** On a node: the UUIDs of the cards on which nothing new may be placed, with commas between; written by people. */
    public static final String CORDON = "gpushare.io/cordon";

    /** On a node: the labels that its device plugin wrote, so that it leaves those of others alone. */
    public static final String LABELS = "gpushare.io/labels";

    /** On a pod: its {@link io.gpushare.model.Allocation}, written as it is bound. */
    public static final String ALLOCATION = "gpushare.io/allocation";

    /** On a pod that waits: when room was seen for it. Written so that kube-scheduler looks at it again. */
    public static final String ROOM_SEEN = "gpushare.io/room-seen";

    /** On a pod: which cards it may have, a {@link io.gpushare.model.selector.CardSelector}; written by people. */
    public static final String SELECT = "gpushare.io/select";

    /** On a pod: over how many cards each container's memory is split, evenly; written by people. */
    public static final String CARDS = "gpushare.io/cards";

    /** On a pod: the policy by which it is to be placed, instead of the extender's own; written by people. */
    public static final String POLICY = "gpushare.io/policy";

    // HAMi's keys on a pod, which say in its own way which cards the pod may have.
    static final String HAMI_USE_TYPE = "nvidia.com/use-gputype";
    static final String HAMI_NO_TYPE = "nvidia.com/nouse-gputype";
    static final String HAMI_USE_UUID = "nvidia.com/use-gpuuuid";
    static final String HAMI_NO_UUID = "nvidia.com/nouse-gpuuuid";

    /** All that select cards, in the order in which they are read. */
    static final List<String> SELECTORS = List.of(SELECT, HAMI_USE_TYPE, HAMI_NO_TYPE, HAMI_USE_UUID, HAMI_NO_UUID);

    private static final String OURS = "gpushare.io/";

    // gpushare's own keys on a pod: its command line and its users' scripts read them; nothing of ours does.
    static final String LEGACY_INDEX = "ALIYUN_COM_GPU_MEM_IDX";
    static final String LEGACY_CARD_UNITS = "ALIYUN_COM_GPU_MEM_DEV";
    static final String LEGACY_POD_UNITS = "ALIYUN_COM_GPU_MEM_POD";
    static final String LEGACY_ASSIGNED = "ALIYUN_COM_GPU_MEM_ASSIGNED";
    static final String LEGACY_ASSUME_TIME = "ALIYUN_COM_GPU_MEM_ASSUME_TIME";

    private AnnotationKeys() {}

    /** Whether anything here reads what stands under that key. */
    public static boolean read(String key) {
        return key.startsWith(OURS) || SELECTORS.contains(key);
    }
}
