package io.gpushare.plugin;

/** How this node offers its cards: in one way, because nobody counts over two. */
enum ServeMode {
    /** As resources of the kubelet's device plugin API. */
    DEVICE_PLUGIN("device-plugin"),
    /** As devices of Dynamic Resource Allocation, which pods request by ResourceClaims. */
    DRA("dra");

    private final String text;

    ServeMode(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
