package io.gpushare.options;

import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.request.ResourceNames;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options that both programs must share: how to reach the cluster, and the names of its resources. A picocli mixin.
 */
public final class ClusterOptions {
    @Option(
            names = "--kubeconfig",
            paramLabel = "<file>",
            converter = ReadableFileConverter.class,
            description = "kubeconfig file. [KUBECONFIG, else the pod's service account]")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--memory-unit",
            paramLabel = "<unit>",
            defaultValue = "GiB",
            converter = MemoryUnitConverter.class,
            description = "Memory that one unit of the memory resource stands for: GiB, or <n>MiB. The device plugin"
                    + " rejects a unit that is too small for the kubelet's messages of 4 MiB, and names the smallest"
                    + " one that fits. The extender uses it with --hami only: both programs then need the same, best"
                    + " 256MiB or less. [GiB]")
    private MemoryUnit memoryUnit = MemoryUnit.GIB;

    @Option(
            names = "--memory-resource",
            paramLabel = "<name>",
            defaultValue = "aliyun.com/gpu-mem",
            converter = ResourceNameConverter.class,
            description = "Resource that counts memory units. Both programs need the same name. [aliyun.com/gpu-mem]")
    private String memoryResource = ResourceNames.DEFAULT.memory();

    @Option(
            names = "--card-resource",
            paramLabel = "<name>",
            defaultValue = "aliyun.com/gpu-count",
            converter = ResourceNameConverter.class,
            description = "Resource that counts whole cards. Both programs need the same name. With nvidia.com/gpu,"
                    + " ordinary GPU pods can share the nodes. [aliyun.com/gpu-count]")
    private String cardResource = ResourceNames.DEFAULT.cards();

    @Option(
            names = "--core-resource",
            paramLabel = "<name>",
            defaultValue = "",
            converter = ResourceNameConverter.class,
            description =
                    "Resource that counts percents of a card's cores, such as aliyun.com/gpu-core.percentage, beside"
                            + " memory: a container computes on no more cores than it requests"
                            + " (deploy/docs/operate/isolation.md#compute-shares). Both programs need the same name."
                            + " Without a name, cores are not counted. [none]")
    private String coreResource = "";

    @Option(
            names = "--hami",
            arity = "0..1",
            paramLabel = "<true|false>",
            defaultValue = "false",
            fallbackValue = "true",
            description = "Whether pods may request cards in HAMi's words as well: nvidia.com/gpu, gpumem,"
                    + " gpumem-percentage and gpucores (deploy/docs/operate/migrate-from-hami.md). Both programs need"
                    + " the same. [false]")
    private boolean hami;

    @Option(
            names = "--former-memory-resources",
            paramLabel = "<names>",
            defaultValue = "aliyun.com/gpu-mem",
            split = ",",
            hideParamSyntax = true,
            converter = ResourceNameConverter.class,
            description =
                    "Earlier names of the memory resource, separated by commas: pods that were bound under them keep"
                            + " their cards. Set them in both programs when you change the name. [aliyun.com/gpu-mem]")
    private Set<String> formerMemoryResources = Set.of();

    @Option(
            names = "--former-card-resources",
            paramLabel = "<names>",
            defaultValue = "aliyun.com/gpu-count",
            split = ",",
            hideParamSyntax = true,
            converter = ResourceNameConverter.class,
            description = "The same for the card resource. [aliyun.com/gpu-count]")
    private Set<String> formerCardResources = Set.of();

    @Option(
            names = "--node-lease-namespace",
            paramLabel = "<name>",
            defaultValue = "gpushare-node-lease",
            converter = NameConverter.class,
            description = "Namespace of the Leases by which the device plugins show that they reach the API server"
                    + " (deploy/docs/operate/nodes.md#a-node-that-loses-the-api-server). Both programs need the same."
                    + " [gpushare-node-lease]")
    private String nodeLeaseNamespace = "";

    /** The kubeconfig file; null for the pod's service account. */
    public @Nullable Path kubeconfig() {
        return kubeconfig;
    }

    /** The amount of memory that one memory device represents. */
    public MemoryUnit memoryUnit() {
        return memoryUnit;
    }

    /** The namespace of the device plugins' Leases. */
    public String nodeLeaseNamespace() {
        return nodeLeaseNamespace;
    }

    /** One sentence for each rule that the values break. */
    public List<String> problems() {
        try {
            resources();
            return List.of();
        } catch (IllegalArgumentException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    /** The names of the resources, after {@link #problems} was empty. */
    public ResourceNames resources() {
        ResourceNames names = new ResourceNames(
                        memoryResource, cardResource, named(formerMemoryResources), named(formerCardResources))
                .with(ShareKind.CORES, coreResource);
        return hami ? names.withHami() : names;
    }

    /** Empty text has one name for picocli, which is empty. */
    private static Set<String> named(Set<String> names) {
        return names.stream().filter(name -> !name.isEmpty()).collect(Collectors.toSet());
    }
}
