package io.gpushare.plugin.node.container;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Expresses a container's cards for the container runtimes, and in the variables that programs read.
 *
 * @param frameworks whether frameworks learn the container's share by {@link FrameworkVariables}
 */
public record ContainerSettings(Set<DeviceListStrategy> strategies, boolean frameworks) {
    static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";
    /** No card by the variable. */
    static final String VOID = "void";

    private static final String CDI_KIND = "nvidia.com/gpu=";
    private static final List<String> CONTROL_FILES =
            List.of("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools");

    public ContainerSettings {
        strategies = Set.copyOf(strategies);
    }

    /** Settings with the variables of frameworks. */
    public ContainerSettings(Set<DeviceListStrategy> strategies) {
        this(strategies, true);
    }

    /** The same, but that the container runtime receives the cards by their names in NVIDIA's files alone. */
    public ContainerSettings byName() {
        return new ContainerSettings(Set.of(DeviceListStrategy.CDI_CRI), frameworks);
    }

    /** Whether a container can't have a card without a device file. */
    public boolean needDeviceFiles() {
        return strategies.contains(DeviceListStrategy.DEVICE_SPECS);
    }

    /**
     * The settings of a container of that pod with these cards.
     *
     * @param isolation what it needs for its isolation
     */
    public Outcome<ContainerEdits> of(
            NodePod pod, ContainerAllocation allocation, Inventory inventory, ContainerIsolation.Settings isolation) {
        List<Card> cards = allocation.visibleCards().stream()
                .flatMap(id -> inventory.card(id).stream())
                .toList();
        Optional<Card> unnumbered = cards.stream()
                .filter(card -> needDeviceFiles() && card.minor() == null)
                .findFirst();
        if (unnumbered.isPresent()) {
            return new Outcome.Refused<>(
                    RefusalKind.NO_DEVICE_FILE,
                    "the driver does not report the device file of card "
                            + unnumbered.get().id()
                            + ", which --device-list-strategy=device-specs needs: use envvar or cdi-cri",
                    Optional.of(pod.ref()));
        }
        List<String> uuids =
                allocation.visibleCards().stream().map(CardId::uuid).toList();
        Map<String, String> environment = new LinkedHashMap<>();
        // Without the variable an image's own NVIDIA_VISIBLE_DEVICES=all exposes every card; "void" exposes none.
        environment.put(
                VISIBLE_DEVICES, strategies.contains(DeviceListStrategy.ENVVAR) ? String.join(",", uuids) : VOID);
        if (allocation.total().counted().units() > 0 && uuids.size() == 1 && !cards.isEmpty()) {
            environment.putAll(gpushare(allocation, pod, cards.getFirst(), inventory));
        }
        if (allocation.total().slots() > 0) {
            environment.putAll(hami(allocation, inventory));
        }
        if (frameworks) {
            environment.putAll(FrameworkVariables.of(
                    allocation, inventory, pod.ownJaxFraction().contains(allocation.name())));
        }
        environment.putAll(isolation.environment());
        return new Outcome.Of<>(new ContainerEdits(
                environment,
                strategies.contains(DeviceListStrategy.CDI_CRI)
                        ? uuids.stream().map(uuid -> CDI_KIND + uuid).toList()
                        : List.of(),
                needDeviceFiles()
                        ? Stream.concat(cards.stream().flatMap(ContainerSettings::files), CONTROL_FILES.stream())
                                .distinct()
                                .toList()
                        : List.of(),
                isolation.mounts()));
    }

    /** The device files of a card: those of a MIG instance, and its card's. */
    private static Stream<String> files(Card card) {
        Stream<String> caps = card.details().instance() == null
                ? Stream.of()
                : card.details().instance().caps().stream().map(cap -> "/dev/nvidia-caps/nvidia-cap" + cap);
        return Stream.concat(Stream.of("/dev/nvidia" + card.minor()), caps);
    }

    /** The variables by which HAMi tells programs the limits of each card, in its order, and of the cores. */
    private static Map<String, String> hami(ContainerAllocation allocation, Inventory inventory) {
        Map<String, String> limits = new LinkedHashMap<>();
        allocation.shares().forEach((id, share) -> {
            if (share.units() > 0) {
                limits.put(
                        "CUDA_DEVICE_MEMORY_LIMIT_" + limits.size(),
                        share.units() * inventory.unit().size().mib() + "m");
            }
        });
        allocation.shares().values().stream()
                .mapToInt(Share::cores)
                .filter(cores -> cores > 0)
                .max()
                .ifPresent(cores -> limits.put("CUDA_DEVICE_SM_LIMIT", String.valueOf(cores)));
        return limits;
    }

    /** The variables that gpushare's users and their frameworks read. */
    private static Map<String, String> gpushare(
            ContainerAllocation allocation, NodePod pod, Card card, Inventory inventory) {
        int units = allocation.total().units();
        int podUnits =
                pod.demand().valid().map(demand -> demand.total().units()).orElse(units);
        return Map.of(
                "ALIYUN_COM_GPU_MEM_IDX", String.valueOf(card.index()),
                "ALIYUN_COM_GPU_MEM_POD", String.valueOf(podUnits),
                "ALIYUN_COM_GPU_MEM_CONTAINER", String.valueOf(units),
                "ALIYUN_COM_GPU_MEM_DEV",
                        String.valueOf(inventory.capacityOf(card).units()));
    }
}
