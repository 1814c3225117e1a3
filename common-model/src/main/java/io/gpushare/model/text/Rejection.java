package io.gpushare.model.text;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Why a kubelet failed a pod instead of admitting it, for the owner of the pod. */
public final class Rejection {
    // What the kubelet's device manager says of a resource whose plugin is not registered, 1.20 to 1.36.
    private static final Pattern NO_PLUGIN =
            Pattern.compile("no healthy devices present|unregistered device|Available: 0\\b");

    private Rejection() {}

    /** Whether the message is about a resource whose device plugin was not registered. */
    public static boolean withoutPlugin(String message) {
        return NO_PLUGIN.matcher(message).find();
    }

    /**
     * What happened and what to do.
     *
     * @param message what the kubelet wrote into the pod's status, safe to show
     */
    public static String sentences(String message) {
        return sentences(message, Set.of());
    }

    /**
     * The same of a pod of which the requests are known.
     *
     * @param zeros the resources of which it requests 0
     */
    public static String sentences(String message, Set<String> zeros) {
        Optional<String> zero =
                zeros.stream().filter(message::contains).findFirst().filter(_ -> withoutPlugin(message));
        return "The kubelet did not admit it: " + message + ". "
                + zero.map(resource -> "The pod requests 0 of " + resource
                                + ", for which a kubelet needs a healthy device as well: leave " + resource + " out. ")
                        .orElse(
                                withoutPlugin(message)
                                        ? "The device plugin was not registered at that time. After a reboot of its"
                                                + " node, the kubelet admits pods before a device plugin can register. "
                                        : "")
                + "The kubelet does not try again. A controller creates another pod; a pod without one has to be"
                + " created again.";
    }
}
