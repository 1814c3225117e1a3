package io.gpushare.plugin;

import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.options.AddressConverter;
import io.gpushare.options.CheckedOptions;
import io.gpushare.options.ClusterOptions;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.OptionParser;
import io.gpushare.options.SecondsConverter;
import io.gpushare.plugin.node.cards.NodePause;
import io.gpushare.plugin.node.cards.NvmlCards;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.isolation.IsolationMode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of the plugin; they are in force after they were parsed without a problem. Each flag has an environment
 * variable: {@code --proc-dir}, {@code GPUSHARE_PROC_DIR}.
 */
@Command(
        name = "device-plugin",
        mixinStandardHelpOptions = true,
        versionProvider = PluginOptions.Version.class,
        description = "Offers the node's GPU cards to the kubelet, by memory and whole.",
        footer = "Each flag can be set by an environment variable: --proc-dir by GPUSHARE_PROC_DIR, for example.",
        sortOptions = false,
        usageHelpWidth = 110)
final class PluginOptions implements CheckedOptions {
    private static final Duration SCAN_INTERVAL = Duration.ofSeconds(2);
    private static final Duration QUIET_TIME = Duration.ofSeconds(10);
    private static final int DEFAULT_SLOTS = 10;
    private static final int MOST_SLOTS = 100;

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Option(
            names = "--node-name",
            paramLabel = "<name>",
            defaultValue = "",
            description = "Name of this node in the cluster; required. [NODE_NAME]")
    String nodeName = "";

    @Option(
            names = "--serve",
            paramLabel = "<device-plugin|dra>",
            defaultValue = "device-plugin",
            description =
                    "How the node offers its cards: device-plugin (as resources of the kubelet), or dra (as devices of"
                            + " Dynamic Resource Allocation, and not as resources: pods request them by ResourceClaims;"
                            + " Kubernetes 1.36, and whole cards from 1.34). See deploy/docs/operate/claims.md."
                            + " [device-plugin]")
    ServeMode serve = ServeMode.DEVICE_PLUGIN;

    @Option(
            names = "--cdi-dir",
            paramLabel = "<directory>",
            defaultValue = "/var/run/cdi",
            description = "A directory in which the container runtime reads CDI files, under its path on the node. With"
                    + " --serve=dra the plugin writes those of claims into it, and containers with claims mount their"
                    + " file from there. Otherwise it reads them, and offers no card that a claim still has."
                    + " [/var/run/cdi]")
    Path cdiDir = Path.of("");

    @Option(
            names = "--static-cdi-dir",
            paramLabel = "<directory>",
            defaultValue = "/etc/cdi",
            description = "The other directory in which the container runtime reads CDI files. NVIDIA's may be there."
                    + " [/etc/cdi]")
    Path staticCdiDir = Path.of("");

    @Option(
            names = "--nvml-library",
            paramLabel = "<file>",
            defaultValue = "libnvidia-ml.so.1",
            description = "NVML's library, by name or absolute path. [libnvidia-ml.so.1]")
    String nvmlLibrary = "";

    @Option(
            names = "--kubelet-dir",
            paramLabel = "<directory>",
            defaultValue = "/var/lib/kubelet",
            description = "The kubelet's directory that contains device-plugins and pod-resources; kubelets use"
                    + " /var/lib/kubelet for them whatever their --root-dir is. [/var/lib/kubelet]")
    Path kubeletDir = Path.of("");

    @Option(
            names = "--device-list-strategy",
            paramLabel = "<names>",
            defaultValue = "auto",
            split = ",",
            hideParamSyntax = true,
            description =
                    "How the container runtime receives a container's cards: envvar, cdi-cri, device-specs, several of"
                            + " them separated by commas, or auto (with --serve=dra as cdi-cri where NVIDIA's CDI file"
                            + " names the cards, else envvar). [auto]")
    private Set<DeviceListStrategy> deviceListStrategies = Set.of(DeviceListStrategy.AUTO);

    @Option(
            names = "--framework-variables",
            arity = "0..1",
            paramLabel = "<true|false>",
            defaultValue = "true",
            fallbackValue = "true",
            description = "Give containers with a part of a card the variables by which PyTorch, JAX, Paddle, TGI and"
                    + " other programs learn how much memory they may use, such as GPUSHARE_MEMORY_MIB. See"
                    + " deploy/docs/use/frameworks.md. [true]")
    private boolean frameworkVariables = true;

    @Option(
            names = "--health-quiet-time",
            paramLabel = "<n>s",
            defaultValue = "10s",
            converter = SecondsConverter.class,
            description = "Time after its last Xid error until a card that responds is healthy again. [10s]")
    private @Nullable Duration healthQuietTime = QUIET_TIME;

    @Option(
            names = "--card-memory",
            paramLabel = "<model>=<amount>",
            split = ",",
            hideParamSyntax = true,
            description =
                    "The memory of all cards of that model, such as \"NVIDIA GB10=119GiB\", where the driver does not"
                        + " report it; several, separated by commas. Without it such a card can only be taken whole,"
                        + " and its node says so. [none]")
    Map<String, Memory> cardMemory = Map.of();

    @Option(
            names = "--mig",
            paramLabel = "<cards|off>",
            defaultValue = "cards",
            description = "What is offered of cards with MIG: cards (each instance is a card: by memory, and whole as"
                    + " nvidia.com/mig-<profile>), or off (nothing). See deploy/docs/operate/mig.md. [cards]")
    MigMode mig = MigMode.CARDS;

    @Option(
            names = "--hami-slots",
            paramLabel = "<number>",
            defaultValue = "10",
            description =
                    "With --hami: how many containers share one card at most, of those that request nvidia.com/gpu."
                            + " [10]")
    private int hamiSlots = DEFAULT_SLOTS;

    @Option(
            names = "--pause-labels",
            paramLabel = "<labels>",
            split = ",",
            hideParamSyntax = true,
            description =
                    "Labels of the node, separated by commas. While the value of one begins with \"paused-for-\", as"
                        + " NVIDIA's GPU Operator writes it, the plugin lets go of the driver and offers no card. See"
                        + " deploy/docs/operate/driver-upgrades.md. [none]")
    Set<String> pauseLabels = Set.of();

    @Option(
            names = "--metrics-address",
            paramLabel = "<address>",
            converter = AddressConverter.class,
            description = "Address of the metrics for Prometheus and of /readyz: <host>:<port>, or :<port> for all"
                    + " addresses. The manifest has \":9450\". See deploy/docs/reference/metrics-device-plugin.md."
                    + " [none]")
    @Nullable
    InetSocketAddress metricsAddress;

    @Option(
            names = "--dcgm-metrics",
            arity = "0..1",
            paramLabel = "<true|false>",
            defaultValue = "false",
            fallbackValue = "true",
            description = "Serve the use of cards and containers under the names of dcgm-exporter's metrics, too, for"
                    + " dashboards that query these; not where dcgm-exporter itself is scraped. See"
                    + " deploy/docs/reference/metrics-device-plugin.md#under-the-names-of-dcgm-exporter. [false]")
    boolean dcgmMetrics;

    @Option(
            names = "--evict-over-use-after",
            paramLabel = "<n>s",
            converter = SecondsConverter.class,
            description = "Evict a pod that uses more memory of a card than it requested for that time. Requires the"
                    + " permission to evict, which deploy/over-use grants. See"
                    + " deploy/docs/operate/preemption.md#pods-over-their-memory-limit. [never]")
    @Nullable
    Duration evictOverUseAfter;

    @Option(
            names = "--proc-dir",
            paramLabel = "<directory>",
            defaultValue = "/proc",
            description = "The node's proc file system, in which the plugin finds the containers of processes that use"
                    + " cards. [/proc]")
    Path procDir = Path.of("");

    @Option(
            names = "--sys-dir",
            paramLabel = "<directory>",
            defaultValue = "/sys",
            description = "The node's sys file system. With claims the plugin finds there to which PCIe root a card is"
                    + " attached. [/sys]")
    Path sysDir = Path.of("");

    @Mixin
    IsolationOptions isolation = new IsolationOptions();

    /** The variables that set flags: GPUSHARE_*, and those that others define. */
    static EnvironmentDefaults environment(Map<String, String> variables) {
        return new EnvironmentDefaults(variables)
                .alias("--node-name", "NODE_NAME")
                .aliasOfFile("--kubeconfig", "KUBECONFIG", "the pod's service account");
    }

    OptionParser parser(EnvironmentDefaults environment) {
        return new OptionParser(this, environment)
                .reads(Memory.class, Memory::parse)
                .reads(IsolationMode.class)
                .reads(MigMode.class)
                .reads(ServeMode.class)
                .reads(DeviceListStrategy.class);
    }

    @Override
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (nodeName.isEmpty()) {
            problems.add("the node's name is missing: set NODE_NAME (in a manifest from the field spec.nodeName), or"
                    + " --node-name");
        }
        if (healthQuietTime == null) {
            problems.add("--health-quiet-time is empty: write seconds, such as 10s, or leave it out");
        }
        if (hamiSlots < 1 || hamiSlots > MOST_SLOTS) {
            problems.add("--hami-slots=" + hamiSlots + " is not possible: write a number from 1 to " + MOST_SLOTS);
        }
        if (cardsByNameIfPossible() && deviceListStrategies.size() > 1) {
            problems.add("--device-list-strategy has auto and others: write auto alone, or the others");
        }
        problems.addAll(cluster.problems());
        problems.addAll(isolation.problems());
        return problems;
    }

    /** What each card offers beside its memory. */
    Share beside() {
        ResourceNames names = cluster.resources();
        boolean slots = names.kinds().contains(ShareKind.SLOTS);
        Share beside = Share.slots(slots ? hamiSlots : 0);
        for (ShareKind kind : ShareKind.PERCENTS) {
            beside = slots || names.kinds().contains(kind) ? beside.with(kind, ShareKind.ALL) : beside;
        }
        return beside;
    }

    /** The driver's directory among the kubelet's; it exists where this node may offer, or has offered, by claims. */
    Path driverDir() {
        return kubeletDir.toAbsolutePath().resolve("plugins").resolve(ClaimDecoder.DRIVER);
    }

    /** Is there from the time when this node first offered its cards by claims. */
    Path servedClaims() {
        return driverDir().resolve("served-claims");
    }

    /** Whether containers with claims get their cards by name where that is possible. */
    boolean cardsByNameIfPossible() {
        return deviceListStrategies.contains(DeviceListStrategy.AUTO);
    }

    ContainerSettings containers() {
        return new ContainerSettings(
                cardsByNameIfPossible() ? Set.of(DeviceListStrategy.ENVVAR) : deviceListStrategies, frameworkVariables);
    }

    /** How the cards are read, whose memory is offered in that unit. */
    NvmlCards.Settings scanning(MemoryUnit unit, NodePause pause) {
        return new NvmlCards.Settings(
                nvmlLibrary,
                unit,
                SCAN_INTERVAL,
                Objects.requireNonNull(healthQuietTime),
                containers().needDeviceFiles(),
                cardMemory,
                mig == MigMode.CARDS,
                procDir,
                pause);
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements picocli.CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"gpushare device-plugin " + number()};
        }

        static String number() {
            @Nullable String version = PluginOptions.class.getPackage().getImplementationVersion();
            return version == null ? "(not built into a jar)" : version;
        }
    }
}
