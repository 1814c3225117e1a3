package io.gpushare.plugin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Accepts the command line of gpushare's device plugin, so that its manifests run unchanged: flags with one dash, and
 * flags that have no effect here.
 *
 * @param left the arguments without the flags that have no effect, with two dashes
 * @param notices one sentence for each flag that was left out
 */
record GpushareFlags(List<String> left, List<String> notices) {
    /** The flags without an effect, by the reason. */
    private static final Map<String, Set<String>> WITHOUT_EFFECT = Map.of(
            "the health of cards is always checked", Set.of("--health-check"),
            "the plugin always reads the kubelet's pod-resources", Set.of("--query-kubelet"),
            "the plugin calls the kubelet over its socket",
                    Set.of("--kubelet-address", "--kubelet-port", "--client-cert", "--client-key", "--token"),
            "every call has its own deadline", Set.of("--timeout"),
            "the log goes to standard error", Set.of("--logtostderr", "--alsologtostderr", "--log_dir"),
            "the log has one level", Set.of("--v", "--vmodule", "--stderrthreshold", "--log_backtrace_at"));

    /** Those that are either given or not; the value of any other may be the next argument. */
    private static final Set<String> SWITCHES =
            Set.of("--health-check", "--query-kubelet", "--logtostderr", "--alsologtostderr");

    /** The flags that this plugin has as well. */
    private static final Set<String> SHARED = Set.of("--memory-unit", "--mps");

    GpushareFlags {
        left = List.copyOf(left);
        notices = List.copyOf(notices);
    }

    static GpushareFlags of(String... args) {
        List<String> left = new ArrayList<>();
        List<String> notices = new ArrayList<>();
        for (Iterator<String> arguments = Arrays.asList(args).iterator(); arguments.hasNext(); ) {
            String argument = arguments.next();
            // Go's flags have one dash or two.
            String twoDashes = argument.replaceFirst("^--?(?=[^-])", "--");
            String flag = twoDashes.replaceFirst("(?s)=.*", "");
            Optional<String> unneeded = WITHOUT_EFFECT.entrySet().stream()
                    .filter(reason ->
                            argument.startsWith("-") && reason.getValue().contains(flag))
                    .map(Map.Entry::getKey)
                    .findFirst();
            if (unneeded.isEmpty()) {
                left.add(SHARED.contains(flag) ? twoDashes : argument);
                continue;
            }
            notices.add("gpushare's flag " + flag + " has no effect, leave it out: " + unneeded.get());
            if (!SWITCHES.contains(flag) && !argument.contains("=") && arguments.hasNext()) {
                arguments.next();
            }
        }
        return new GpushareFlags(left, notices);
    }
}
