package io.gpushare.plugin;

import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.plugin.allocation.DeviceListStrategy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Every flag, with its environment twin; a flag wins over its twin. */
@Command(
        name = "device-plugin",
        mixinStandardHelpOptions = true,
        versionProvider = PluginOptions.Version.class,
        description = "Offers the node's GPU cards to the kubelet, by memory and whole.",
        sortOptions = false)
final class PluginOptions {
    private static final Pattern ADDRESS = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:]*):([0-9]{1,5})");
    private static final Pattern SECONDS = Pattern.compile("([1-9][0-9]{0,4})s");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--memory-unit",
            defaultValue = "${env:GPUSHARE_MEMORY_UNIT:-GiB}",
            description = "What one memory device stands for: GiB, or <n>MiB. GPUSHARE_MEMORY_UNIT; ${DEFAULT-VALUE}")
    private String memoryUnit = "";

    @Option(
            names = "--memory-resource",
            defaultValue = "${env:GPUSHARE_MEMORY_RESOURCE:-aliyun.com/gpu-mem}",
            description = "Name of the memory resource. GPUSHARE_MEMORY_RESOURCE; ${DEFAULT-VALUE}")
    private String memoryResource = "";

    @Option(
            names = "--card-resource",
            defaultValue = "${env:GPUSHARE_CARD_RESOURCE:-aliyun.com/gpu-count}",
            description = "Name of the whole-card resource. GPUSHARE_CARD_RESOURCE; ${DEFAULT-VALUE}")
    private String cardResource = "";

    @Option(
            names = "--node-name",
            defaultValue = "${env:NODE_NAME:-}",
            description = "This node's name in the cluster; must be given. NODE_NAME")
    private String nodeName = "";

    @Option(
            names = "--kubeconfig",
            defaultValue = "${env:KUBECONFIG:-}",
            description = "The way to the API server; not given: the service account of this pod. KUBECONFIG")
    private String kubeconfig = "";

    @Option(
            names = "--nvml-library",
            defaultValue = "${env:GPUSHARE_NVML_LIBRARY:-libnvidia-ml.so.1}",
            description = "NVML's library, by name or absolute path. GPUSHARE_NVML_LIBRARY; ${DEFAULT-VALUE}")
    private String nvmlLibrary = "";

    @Option(
            names = "--kubelet-dir",
            defaultValue = "${env:GPUSHARE_KUBELET_DIR:-/var/lib/kubelet}",
            description =
                    "The kubelet's folder, with device-plugins and pod-resources in it. Kubelets keep device-plugins"
                        + " in /var/lib/kubelet whatever their --root-dir is. GPUSHARE_KUBELET_DIR; ${DEFAULT-VALUE}")
    private String kubeletDir = "";

    @Option(
            names = "--device-list-strategy",
            defaultValue = "${env:GPUSHARE_DEVICE_LIST_STRATEGY:-envvar}",
            description = "How containers are told their cards: envvar, cdi-cri, device-specs, or several with commas."
                    + " GPUSHARE_DEVICE_LIST_STRATEGY; ${DEFAULT-VALUE}")
    private String deviceListStrategy = "";

    @Option(
            names = "--health-quiet-time",
            defaultValue = "${env:GPUSHARE_HEALTH_QUIET_TIME:-10s}",
            description = "How long after its last Xid error a card that answers is well again, <n>s."
                    + " GPUSHARE_HEALTH_QUIET_TIME; ${DEFAULT-VALUE}")
    private String healthQuietTime = "";

    @Option(
            names = "--metrics-address",
            defaultValue = "${env:GPUSHARE_METRICS_ADDRESS:-}",
            description =
                    "Where metrics are served for Prometheus, <host>:<port> or :<port> for all addresses; not given:"
                            + " nowhere. GPUSHARE_METRICS_ADDRESS")
    private String metricsAddress = "";

    @Option(
            names = "--evict-over-use-after",
            defaultValue = "${env:GPUSHARE_EVICT_OVER_USE_AFTER:-}",
            description =
                    "Evict a pod that has used more memory of a card than it was given for so long, <n>s; needs the"
                            + " permission to evict. Not given: never. GPUSHARE_EVICT_OVER_USE_AFTER")
    private String evictOverUseAfter = "";

    @Option(
            names = "--proc-dir",
            defaultValue = "${env:GPUSHARE_PROC_DIR:-/proc}",
            description =
                    "Where the proc file system of the node is, in which processes are found again that use cards."
                            + " GPUSHARE_PROC_DIR; ${DEFAULT-VALUE}")
    private String procDir = "";

    @Option(
            names = "--mps",
            arity = "0..1",
            defaultValue = "${env:GPUSHARE_MPS:-false}",
            fallbackValue = "true",
            description = "Enforce shares with NVIDIA's MPS: not built yet, only false is taken."
                    + " GPUSHARE_MPS; ${DEFAULT-VALUE}")
    private String mps = "";

    /** The values, understood and checked. */
    record Settings(
            MemoryUnit unit,
            ResourceNames resources,
            String nodeName,
            @Nullable Path kubeconfig,
            String nvmlLibrary,
            Path kubeletDir,
            Set<DeviceListStrategy> strategies,
            Duration healthQuietTime,
            Optional<InetSocketAddress> metricsAddress,
            Optional<Duration> evictOverUseAfter,
            Path procDir) {}

    /** Reads every value; throws ParameterException with a sentence for the user at the first that is wrong. */
    Settings settings() {
        try {
            require(
                    !nodeName.isEmpty(),
                    "the node's name is not given: set NODE_NAME (in a manifest from the field"
                            + " spec.nodeName), or --node-name");
            require(
                    !mps.equals("true"),
                    "--mps=true is not possible yet: this version shares memory by count and does"
                            + " not enforce it inside a card; leave --mps out");
            require(mps.equals("false"), "--mps='" + mps + "' is not understood: leave it out, or write false");
            return new Settings(
                    MemoryUnit.parse(memoryUnit),
                    new ResourceNames(memoryResource, cardResource),
                    nodeName,
                    kubeconfig.isEmpty() ? null : Path.of(kubeconfig),
                    nvmlLibrary,
                    Path.of(kubeletDir).toAbsolutePath(),
                    DeviceListStrategy.parse(deviceListStrategy),
                    seconds("--health-quiet-time", healthQuietTime),
                    address(metricsAddress),
                    evictOverUseAfter.isEmpty()
                            ? Optional.empty()
                            : Optional.of(seconds("--evict-over-use-after", evictOverUseAfter)),
                    Path.of(procDir).toAbsolutePath());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new IllegalArgumentException(sentence);
        }
    }

    private static Duration seconds(String flag, String text) {
        Matcher matcher = SECONDS.matcher(text);
        require(matcher.matches(), flag + "='" + text + "' is not understood: write seconds, such as 10s");
        return Duration.ofSeconds(Long.parseLong(matcher.group(1)));
    }

    private static Optional<InetSocketAddress> address(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Matcher matcher = ADDRESS.matcher(text);
        require(
                matcher.matches() && Integer.parseInt(matcher.group(2)) <= 65_535,
                "--metrics-address='" + text + "' is not understood: write :9450, or 127.0.0.1:9450");
        String host = matcher.group(1).replaceAll("[\\[\\]]", "");
        int port = Integer.parseInt(matcher.group(2));
        InetSocketAddress address = host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
        require(!address.isUnresolved(), "--metrics-address='" + text + "': there is no host '" + host + "'");
        return Optional.of(address);
    }

    /** Every flag with the value it has, as it could be given. */
    String shown() {
        return String.join(
                " ",
                "--memory-unit=" + memoryUnit,
                "--memory-resource=" + memoryResource,
                "--card-resource=" + cardResource,
                "--node-name=" + nodeName,
                "--kubeconfig=" + kubeconfig,
                "--nvml-library=" + nvmlLibrary,
                "--kubelet-dir=" + kubeletDir,
                "--device-list-strategy=" + deviceListStrategy,
                "--health-quiet-time=" + healthQuietTime,
                "--metrics-address=" + metricsAddress,
                "--evict-over-use-after=" + evictOverUseAfter,
                "--proc-dir=" + procDir,
                "--mps=" + mps);
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements picocli.CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"gpushare device-plugin " + number()};
        }

        static String number() {
            @Nullable String written = PluginOptions.class.getPackage().getImplementationVersion();
            return written == null ? "(not built into a jar)" : written;
        }
    }
}
