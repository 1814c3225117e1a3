package io.gpushare.simulated.kubelet.devices;

import io.grpc.StatusRuntimeException;
import java.util.Locale;

/**
 * Thrown if the device manager can't allocate a container's devices, with the kubelet's text. The pod is rejected for
 * good.
 */
public final class AdmissionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public AdmissionException(String why) {
        super(why, null, false, false);
    }

    /** The text of a gRPC error in grpc-go: {@code rpc error: code = FailedPrecondition desc = …}. */
    public static AdmissionException of(StatusRuntimeException error) {
        String description = error.getStatus().getDescription();
        return new AdmissionException(
                "rpc error: code = " + goCode(error) + " desc = " + (description == null ? "" : description));
    }

    private static String goCode(StatusRuntimeException error) {
        String name = error.getStatus().getCode().name();
        if (name.equals("OK")) {
            return name;
        }
        if (name.equals("CANCELLED")) {
            return "Canceled";
        }
        StringBuilder words = new StringBuilder();
        for (String word : name.split("_")) {
            words.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return words.toString();
    }

    /** The pod's status message (Kubernetes 1.36). */
    public String podMessage() {
        return "Pod was rejected: Allocate failed due to " + getMessage() + ", which is unexpected";
    }
}
