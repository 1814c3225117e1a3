package io.gpushare.plugin;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** The flags of gpushare's device plugin that are gone, and what to do instead. */
final class RetiredFlags {
    private static final Map<String, String> ADVICE = Map.of(
            "--health-check", "cards are always watched",
            "--query-kubelet", "the kubelet's pod-resources is always asked",
            "--kubelet-address", "the kubelet is asked over its socket",
            "--kubelet-port", "the kubelet is asked over its socket",
            "--client-cert", "the kubelet is asked over its socket",
            "--client-key", "the kubelet is asked over its socket",
            "--token", "the kubelet is asked over its socket",
            "--timeout", "every call has a deadline of its own",
            "--logtostderr", "the log goes to standard error",
            "--v", "the log has one level");

    private RetiredFlags() {}

    /** What to say about the first of these arguments that is such a flag. */
    static Optional<String> advice(String[] args) {
        return Arrays.stream(args)
                .filter(arg -> arg.startsWith("-"))
                .map(arg -> "--" + arg.replaceFirst("^-+", "").replaceFirst("=.*", ""))
                .filter(ADVICE::containsKey)
                .findFirst()
                .map(flag -> "gpushare's flag " + flag + " is gone, leave it out: " + ADVICE.get(flag) + ".");
    }
}
