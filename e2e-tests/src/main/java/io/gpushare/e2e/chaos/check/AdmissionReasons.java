package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.pod.PodView;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The legitimate reasons for which a kubelet rejects a pod while components are killed and cards become unhealthy.
 * Kubernetes never admits such a pod again; its owner creates another one, as the load does.
 */
public final class AdmissionReasons {
    /** A reason only where a fault restarts the runtime. */
    public static final String RUNTIME_RESTARTED = "the runtime was restarted while a container ended";

    private static final Map<String, Pattern> KNOWN = new LinkedHashMap<>();

    static {
        // The plugin or the kubelet was killed: devices come back when the plugin registers again.
        reason(
                "the plugin was not registered with the kubelet",
                "UnexpectedAdmissionError: .*(has been stopped|no healthy devices present|cannot allocate unregistered"
                        + " device|requested number of devices unavailable)");
        reason("the plugin was killed during Allocate", "UnexpectedAdmissionError: .*code = (Unavailable|Canceled)");
        reason(
                "its card became unhealthy after it was bound",
                "UnexpectedAdmissionError: .*, allocated to the pod, is unhealthy \\(");
        reason(
                "isolation was not in force on its card after it was bound",
                "UnexpectedAdmissionError: .* offers no memory \\(");
        reason("an ended pod still computed on its card", "UnexpectedAdmissionError: .* is in use by ended pod");
        // The plugin refuses rather than guesses; it has less than two seconds to respond.
        reason(
                "the API server did not respond to the plugin in time",
                "UnexpectedAdmissionError: .*the API server did not respond in time\\)");
        reason(
                "the kubelet's pod-resources did not respond to the plugin in time",
                "UnexpectedAdmissionError: .*pod-resources did not respond in time\\)");
        // The kubelet compares with the node's allocatable, which excludes unregistered and unhealthy devices.
        reason(
                "the kubelet had fewer devices than when it was bound",
                "OutOf(aliyun\\.com/gpu-(mem|count)|nvidia\\.com/gpu): ");
        // What a container ended with while its runtime was away is not known.
        reason(RUNTIME_RESTARTED, "\"terminated\":\\{\"exitCode\":255,\"reason\":\"Unknown\"");
        // The runtime cancels a start when its caller is gone; only pods that are never restarted fail from it.
        reason(
                "the kubelet ended while the runtime started a container",
                "\"reason\":\"StartError\".*context canceled");
    }

    private static final Pattern REFUSED = Pattern.compile("UnexpectedAdmissionError: .*code = FailedPrecondition");

    private AdmissionReasons() {}

    /**
     * The same for a pod whose annotation a tenant edited: the plugin refuses an allocation that its node can't give.
     */
    public static Optional<String> ofEdited(String message) {
        return of(message)
                .or(() -> REFUSED.matcher(message).find()
                        ? Optional.of("a tenant had edited its annotation")
                        : Optional.empty());
    }

    private static void reason(String reason, String pattern) {
        KNOWN.put(reason, Pattern.compile(pattern, Pattern.DOTALL));
    }

    /** The reason in a failed pod's {@link PodView#message}; empty for any other failure. */
    public static Optional<String> of(String message) {
        return KNOWN.entrySet().stream()
                .filter(reason -> reason.getValue().matcher(message).find())
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
