package io.gpushare.plugin.allocation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Puts a container's cards into the words of the container runtimes, and beside them gpushare's own variables. */
public record ContainerSettings(Set<DeviceListStrategy> strategies) {
    private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";
    private static final String CDI_KIND = "nvidia.com/gpu=";
    private static final List<String> CONTROL_FILES =
            List.of("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools");

    public ContainerSettings {
        strategies = Set.copyOf(strategies);
    }

    /**
     * What the container is given.
     *
     * @param podUnits memory units of its whole pod
     */
    public AllocationResponse.Given of(ContainerAllocation gets, int podUnits, Inventory inventory) {
        List<String> uuids = gets.visibleCards().stream().map(CardId::uuid).toList();
        Map<String, String> environment = new LinkedHashMap<>();
        // Without the variable an image's own NVIDIA_VISIBLE_DEVICES=all would open every card; "void" opens none.
        environment.put(
                VISIBLE_DEVICES, strategies.contains(DeviceListStrategy.ENVVAR) ? String.join(",", uuids) : "void");
        if (gets.total().wholeCards() == 0 && gets.visibleCards().size() == 1) {
            inventory
                    .card(gets.visibleCards().iterator().next())
                    .ifPresent(card -> environment.putAll(gpushare(
                            gets, podUnits, card, inventory.capacityOf(card).units())));
        }
        List<String> cdi = strategies.contains(DeviceListStrategy.CDI_CRI)
                ? uuids.stream().map(CDI_KIND::concat).toList()
                : List.of();
        List<String> files = strategies.contains(DeviceListStrategy.DEVICE_SPECS) ? files(gets, inventory) : List.of();
        return new AllocationResponse.Given(environment, files, cdi);
    }

    /** The variables that gpushare's users and their frameworks read. */
    private static Map<String, String> gpushare(ContainerAllocation gets, int podUnits, Card card, int cardUnits) {
        return Map.of(
                "ALIYUN_COM_GPU_MEM_IDX", String.valueOf(card.index()),
                "ALIYUN_COM_GPU_MEM_POD", String.valueOf(podUnits),
                "ALIYUN_COM_GPU_MEM_CONTAINER", String.valueOf(gets.total().units()),
                "ALIYUN_COM_GPU_MEM_DEV", String.valueOf(cardUnits));
    }

    private static List<String> files(ContainerAllocation gets, Inventory inventory) {
        List<String> files = gets.visibleCards().stream()
                .flatMap(id -> inventory.card(id).stream())
                .map(card -> "/dev/nvidia" + card.minor())
                .collect(Collectors.toCollection(ArrayList::new));
        files.addAll(CONTROL_FILES);
        return files;
    }
}
