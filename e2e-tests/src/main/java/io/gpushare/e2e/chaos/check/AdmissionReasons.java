package io.gpushare.e2e.chaos.check;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Why a kubelet may truly turn a pod away while components are killed and cards become unhealthy. Kubernetes never admits
 * such a pod again; whoever owns it makes another, as the load does.
 */
public final class AdmissionReasons {
    private static final Map<String, Pattern> TRUE = new LinkedHashMap<>();

    static {
        // The plugin was killed, or the kubelet: devices come back when the plugin has registered again.
        reason(
                "the plugin was not registered with the kubelet",
                "UnexpectedAdmissionError: .*(has been stopped|no healthy devices present|cannot allocate unregistered"
                        + " device|requested number of devices unavailable)");
        reason("the plugin was killed during Allocate", "UnexpectedAdmissionError: .*code = (Unavailable|Canceled)");
        reason(
                "its card became unhealthy after it was bound",
                "UnexpectedAdmissionError: .*, allocated to the pod, is unhealthy \\(");
        // Refused rather than guessed; the plugin has less than two seconds for its answer.
        reason(
                "the API server did not respond to the plugin in time",
                "UnexpectedAdmissionError: .*the API server did not respond in time\\)");
        reason(
                "the kubelet's pod-resources did not respond to the plugin in time",
                "UnexpectedAdmissionError: .*pod-resources did not respond in time\\)");
        // The kubelet compares with the node's allocatable, which lacks what isn't registered or is unhealthy.
        reason("the kubelet had fewer devices than when it was bound", "OutOfaliyun\\.com/gpu-(mem|count): ");
        // The runtime gives up a start when its caller is gone; only pods that are never restarted end by it.
        reason(
                "the kubelet ended while the runtime started a container",
                "\"reason\":\"StartError\".*context canceled");
    }

    private AdmissionReasons() {}

    private static void reason(String words, String pattern) {
        TRUE.put(words, Pattern.compile(pattern, Pattern.DOTALL));
    }

    /** By a failed pod's {@link PodView#why}; empty where no true reason is known. */
    public static Optional<String> of(String why) {
        return TRUE.entrySet().stream()
                .filter(reason -> reason.getValue().matcher(why).find())
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
