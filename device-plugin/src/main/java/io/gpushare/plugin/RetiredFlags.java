package io.gpushare.plugin;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The flags of gpushare's device plugin that this plugin does not have, with the reason. */
final class RetiredFlags {
    private static final Map<String, String> ADVICE = Map.of(
            "--health-check", "the health of cards is always checked",
            "--query-kubelet", "the plugin always reads the kubelet's pod-resources",
            "--kubelet-address", "the plugin calls the kubelet over its socket",
            "--kubelet-port", "the plugin calls the kubelet over its socket",
            "--client-cert", "the plugin calls the kubelet over its socket",
            "--client-key", "the plugin calls the kubelet over its socket",
            "--token", "the plugin calls the kubelet over its socket",
            "--timeout", "every call has its own deadline",
            "--logtostderr", "the log goes to standard error",
            "--v", "the log has one level");

    private RetiredFlags() {}

    /** One sentence for each of these arguments that is such a flag. */
    static List<String> advice(String[] args) {
        return Arrays.stream(args)
                .filter(arg -> arg.startsWith("-"))
                .map(arg -> "--" + arg.replaceFirst("^-+", "").replaceFirst("=.*", ""))
                .filter(ADVICE::containsKey)
                .distinct()
                .map(flag -> "gpushare's flag " + flag + " no longer exists, leave it out: " + ADVICE.get(flag) + ".")
                .toList();
    }
}
