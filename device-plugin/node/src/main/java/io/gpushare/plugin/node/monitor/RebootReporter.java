package io.gpushare.plugin.node.monitor;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import io.gpushare.model.text.Rejection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * Records an Event on each pod that the kubelet rejected after a reboot of the node, before this plugin could register.
 *
 * @param procDir the procfs, which tells the time since the boot
 * @param resources the names of the resources that the plugin offers
 */
public record RebootReporter(Path procDir, Set<String> resources, EventRecorder events) {
    // Later, it was no reboot: the plugin itself was away.
    private static final Duration AFTER_BOOT = Duration.ofMinutes(15);

    public RebootReporter {
        resources = Set.copyOf(resources);
    }

    /** Reports a pod that the kubelet rejected with that message. */
    public void rejected(PodRef pod, String message) {
        if (Rejection.withoutPlugin(message) && resources.stream().anyMatch(message::contains) && booted()) {
            events.warn(pod, "GpuPodNotAdmitted", Rejection.sentences(message));
        }
    }

    private boolean booted() {
        try {
            String seconds = Files.readString(procDir.resolve("uptime")).split("\\.", 2)[0];
            return Long.parseLong(seconds) < AFTER_BOOT.toSeconds();
        } catch (IOException | NumberFormatException _) {
            return false;
        }
    }
}
