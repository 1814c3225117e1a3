package io.gpushare.simulated.kubelet.devices;

/**
 * A version of the kubelet, as far as versions differ between a device plugin and the device manager. In every version
 * the newest registration of a resource gets the calls, an older plugin's stream stays open, and each list replaces
 * the devices of the resource, whichever plugin sends it.
 */
public enum KubeletVersion {
    /**
     * Up to 1.24: the end of an older plugin's stream has no effect (pkg/kubelet/cm/devicemanager/manager.go). A boot
     * of the machine admits pods with the devices of the checkpoint, also before a plugin is there.
     */
    V1_20,
    /**
     * 1.25 to 1.36: the end of any stream of a resource disconnects the plugin that was registered last
     * (plugin/v1beta1/handler.go, runClient; kubernetes#121994). A boot of the machine rejects pods with devices for
     * good until the plugin is there (manager.go, devicesToAllocate; kubernetes#109595).
     */
    V1_36
}
