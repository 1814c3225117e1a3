package io.gpushare.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Accepts the command line of gpushare's device plugin, so that its manifests run unchanged: flags with one dash, and flags
 * that have no effect here.
 *
 * @param left the arguments without the flags that have no effect, with two dashes
 * @param notices one sentence for each flag that was left out
 */
record GpushareFlags(String[] left, List<String> notices) {
    private static final String SOCKET = "the plugin calls the kubelet over its socket";
    private static final String STANDARD_ERROR = "the log goes to standard error";
    private static final String ONE_LEVEL = "the log has one level";

    /** The flags that are either given or not. */
    private static final Map<String, String> SWITCHES = Map.of(
            "--health-check", "the health of cards is always checked",
            "--query-kubelet", "the plugin always reads the kubelet's pod-resources",
            "--logtostderr", STANDARD_ERROR,
            "--alsologtostderr", STANDARD_ERROR);

    /** The flags with a value, which may be the next argument. */
    private static final Map<String, String> WITH_VALUE = Map.ofEntries(
            Map.entry("--kubelet-address", SOCKET),
            Map.entry("--kubelet-port", SOCKET),
            Map.entry("--client-cert", SOCKET),
            Map.entry("--client-key", SOCKET),
            Map.entry("--token", SOCKET),
            Map.entry("--timeout", "every call has its own deadline"),
            Map.entry("--v", ONE_LEVEL),
            Map.entry("--vmodule", ONE_LEVEL),
            Map.entry("--stderrthreshold", ONE_LEVEL),
            Map.entry("--log_dir", STANDARD_ERROR),
            Map.entry("--log_backtrace_at", ONE_LEVEL));

    /** The flags of gpushare that this plugin has as well. */
    private static final Set<String> SHARED = Set.of("--memory-unit", "--mps");

    static GpushareFlags of(String... args) {
        List<String> left = new ArrayList<>();
        List<String> notices = new ArrayList<>();
        for (int at = 0; at < args.length; at++) {
            // Go's flags have one dash or two.
            String flag = args[at].replaceFirst("^--?(?=[^-])", "--").replaceFirst("(?s)=.*", "");
            boolean given = args[at].startsWith("-");
            if (given && SWITCHES.containsKey(flag)) {
                notices.add(notice(flag, SWITCHES.get(flag)));
            } else if (given && WITH_VALUE.containsKey(flag)) {
                notices.add(notice(flag, WITH_VALUE.get(flag)));
                at += args[at].contains("=") ? 0 : 1;
            } else {
                left.add(given && SHARED.contains(flag) ? args[at].replaceFirst("^--?", "--") : args[at]);
            }
        }
        return new GpushareFlags(left.toArray(String[]::new), notices);
    }

    private static String notice(String flag, String reason) {
        return "gpushare's flag " + flag + " has no effect, leave it out: " + reason;
    }
}
