package io.gpushare.model.codec;

/** The keys under which the truth is written in the API. */
public final class AnnotationKeys {
    /** On a node: its {@link io.gpushare.model.Inventory}, written by its device plugin. */
    public static final String INVENTORY = "gpushare.io/inventory";

    /** On a node: the UUIDs of the cards on which nothing new may be placed, with commas between; written by people. */
    public static final String CORDON = "gpushare.io/cordon";

    /** On a pod: its {@link io.gpushare.model.Allocation}, written as it is bound. */
    public static final String ALLOCATION = "gpushare.io/allocation";

    // gpushare's own keys on a pod: its command line and its users' scripts read them; nothing of ours does.
    static final String LEGACY_INDEX = "ALIYUN_COM_GPU_MEM_IDX";
    static final String LEGACY_CARD_UNITS = "ALIYUN_COM_GPU_MEM_DEV";
    static final String LEGACY_POD_UNITS = "ALIYUN_COM_GPU_MEM_POD";
    static final String LEGACY_ASSIGNED = "ALIYUN_COM_GPU_MEM_ASSIGNED";
    static final String LEGACY_ASSUME_TIME = "ALIYUN_COM_GPU_MEM_ASSUME_TIME";

    private AnnotationKeys() {}
}
