package io.gpushare.plugin.allocation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Expresses a container's cards for the container runtimes, and in gpushare's own variables. */
public record ContainerSettings(Set<DeviceListStrategy> strategies) {
    private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";
    private static final String CDI_KIND = "nvidia.com/gpu=";
    private static final List<String> CONTROL_FILES =
            List.of("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools");

    public ContainerSettings {
        strategies = Set.copyOf(strategies);
    }

    /** Whether a container can't have a card without a device file. */
    public boolean needDeviceFiles() {
        return strategies.contains(DeviceListStrategy.DEVICE_SPECS);
    }

    /** Why a container with this allocation can't have its cards, as a sentence; empty if it can. */
    public Optional<String> refusal(ContainerAllocation allocation, Inventory inventory) {
        return cards(allocation, inventory)
                .filter(card -> needDeviceFiles() && card.minor() == null)
                .map(card -> "the driver does not report the device file of card " + card.id()
                        + ", which --device-list-strategy=device-specs needs: use envvar or cdi-cri")
                .findFirst();
    }

    /**
     * The settings of a container with this allocation.
     *
     * @param podUnits memory units of its whole pod
     */
    public AllocationResponse.Granted of(ContainerAllocation allocation, int podUnits, Inventory inventory) {
        List<String> uuids =
                allocation.visibleCards().stream().map(CardId::uuid).toList();
        Map<String, String> environment = new LinkedHashMap<>();
        // Without the variable an image's own NVIDIA_VISIBLE_DEVICES=all exposes every card; "void" exposes none.
        environment.put(
                VISIBLE_DEVICES, strategies.contains(DeviceListStrategy.ENVVAR) ? String.join(",", uuids) : "void");
        if (allocation.total().wholeCards() == 0 && uuids.size() == 1) {
            inventory
                    .card(allocation.visibleCards().iterator().next())
                    .ifPresent(card -> environment.putAll(gpushare(
                            allocation,
                            podUnits,
                            card,
                            inventory.capacityOf(card).units())));
        }
        List<String> cdi = strategies.contains(DeviceListStrategy.CDI_CRI)
                ? uuids.stream().map(CDI_KIND::concat).toList()
                : List.of();
        List<String> files =
                strategies.contains(DeviceListStrategy.DEVICE_SPECS) ? files(allocation, inventory) : List.of();
        return new AllocationResponse.Granted(environment, files, cdi);
    }

    /** The variables that gpushare's users and their frameworks read. */
    private static Map<String, String> gpushare(
            ContainerAllocation allocation, int podUnits, Card card, int cardUnits) {
        return Map.of(
                "ALIYUN_COM_GPU_MEM_IDX", String.valueOf(card.index()),
                "ALIYUN_COM_GPU_MEM_POD", String.valueOf(podUnits),
                "ALIYUN_COM_GPU_MEM_CONTAINER",
                        String.valueOf(allocation.total().units()),
                "ALIYUN_COM_GPU_MEM_DEV", String.valueOf(cardUnits));
    }

    private static List<String> files(ContainerAllocation allocation, Inventory inventory) {
        List<String> files = cards(allocation, inventory)
                .filter(card -> card.minor() != null)
                .map(card -> "/dev/nvidia" + card.minor())
                .collect(Collectors.toCollection(ArrayList::new));
        files.addAll(CONTROL_FILES);
        return files;
    }

    private static Stream<Card> cards(ContainerAllocation allocation, Inventory inventory) {
        return allocation.visibleCards().stream().flatMap(id -> inventory.card(id).stream());
    }
}
