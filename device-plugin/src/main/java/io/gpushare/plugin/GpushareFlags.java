package io.gpushare.plugin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the command line of gpushare's device plugin, so that its manifests run unchanged: flags with one dash, and
 * flags that have no effect here.
 *
 * @param left the arguments without the flags that have no effect, with two dashes
 * @param notices one sentence for each flag that was left out
 */
record GpushareFlags(List<String> left, List<String> notices) {
    private static final String SOCKET = "the plugin calls the kubelet over its socket";
    private static final String STANDARD_ERROR = "the log goes to standard error";
    private static final String ONE_LEVEL = "the log has one level";

    private static final Map<String, String> WITHOUT_EFFECT = Map.ofEntries(
            Map.entry("--health-check", "the health of cards is always checked"),
            Map.entry("--query-kubelet", "the plugin always reads the kubelet's pod-resources"),
            Map.entry("--kubelet-address", SOCKET),
            Map.entry("--kubelet-port", SOCKET),
            Map.entry("--client-cert", SOCKET),
            Map.entry("--client-key", SOCKET),
            Map.entry("--token", SOCKET),
            Map.entry("--timeout", "every call has its own deadline"),
            Map.entry("--logtostderr", STANDARD_ERROR),
            Map.entry("--alsologtostderr", STANDARD_ERROR),
            Map.entry("--log_dir", STANDARD_ERROR),
            Map.entry("--v", ONE_LEVEL),
            Map.entry("--vmodule", ONE_LEVEL),
            Map.entry("--stderrthreshold", ONE_LEVEL),
            Map.entry("--log_backtrace_at", ONE_LEVEL));

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
            @Nullable String unneeded = argument.startsWith("-") ? WITHOUT_EFFECT.get(flag) : null;
            if (unneeded == null) {
                left.add(SHARED.contains(flag) ? twoDashes : argument);
                continue;
            }
            notices.add("gpushare's flag " + flag + " has no effect, leave it out: " + unneeded);
            if (!SWITCHES.contains(flag) && !argument.contains("=") && arguments.hasNext()) {
                arguments.next();
            }
        }
        return new GpushareFlags(left, notices);
    }
}
