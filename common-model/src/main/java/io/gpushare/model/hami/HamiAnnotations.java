package io.gpushare.model.hami;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.Share;
import io.gpushare.model.text.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The annotations of a pod with its cards, as HAMi 2.10 writes them ({@code pkg/device/devices.go}). In
 * {@value #DEVICES}, each container of the pod has one part that ends with {@code ;}, init containers first, and in it
 * each of its cards {@code <UUID>,NVIDIA,<MiB>,<percent of the cores>:}.
 */
public final class HamiAnnotations {
    public static final String DEVICES = "hami.io/vgpu-devices-allocated";

    /** The node that HAMi's scheduler chose. */
    public static final String NODE = "hami.io/vgpu-node";

    /** Whether the pod has its cards: {@value #ALLOCATING}, {@value #SUCCESS} or {@value #FAILED}. */
    public static final String PHASE = "hami.io/bind-phase";

    public static final String ALLOCATING = "allocating";
    public static final String SUCCESS = "success";
    public static final String FAILED = "failed";

    /** When the scheduler chose, and when it bound the pod, in seconds. */
    private static final List<String> TIMES = List.of("hami.io/vgpu-time", "hami.io/bind-time");

    private static final String OF_CONTAINER = ";";
    private static final String OF_CARD = ":";
    private static final String TYPE = "NVIDIA";
    /** What some versions of HAMi write for a container without cards. */
    private static final String NO_DEVICE = ",,0,0";

    private static final int ALL_CORES = 100;

    // Nine digits fit into an int.
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    /**
     * One card of a container.
     *
     * @param cores in percent
     */
    public record Device(CardId card, int mib, int cores) {
        private static Device of(String written) {
            String[] fields = written.split(",", -1);
            if (fields.length < 4
                    || !NUMBER.matcher(fields[2]).matches()
                    || !NUMBER.matcher(fields[3]).matches()) {
                throw new IllegalArgumentException(
                        Printable.quoted(written) + " is not a card's UUID, type, MiB and percent of the cores");
            }
            return new Device(new CardId(fields[0]), Integer.parseInt(fields[2]), Integer.parseInt(fields[3]));
        }
    }

    private HamiAnnotations() {}

    /**
     * The annotations of a pod with this allocation.
     *
     * @param inventory the node's, for the memory of whole cards
     * @param containers the names of all containers of the pod, in the order in which they start, as far as known
     */
    public static Map<String, String> of(
            Allocation allocation, Inventory inventory, String node, List<String> containers, Instant bound) {
        Set<String> order = new LinkedHashSet<>(containers);
        allocation.containers().forEach(container -> order.add(container.name()));
        StringBuilder devices = new StringBuilder();
        for (String name : order) {
            allocation
                    .container(name)
                    .map(ContainerAllocation::shares)
                    .orElse(Map.of())
                    .forEach((card, share) -> devices.append(written(card, share, allocation, inventory)));
            devices.append(OF_CONTAINER);
        }
        Map<String, String> annotations = new LinkedHashMap<>();
        annotations.put(DEVICES, devices.toString());
        annotations.put(NODE, node);
        annotations.put(PHASE, SUCCESS);
        TIMES.forEach(key -> annotations.put(key, String.valueOf(bound.getEpochSecond())));
        return annotations;
    }

    private static String written(CardId card, Share share, Allocation allocation, Inventory inventory) {
        boolean whole = share.wholeCards() > 0;
        long mib = whole
                ? inventory.card(card).map(Card::memory).map(Memory::mib).orElse(0L)
                : Math.multiplyExact(share.units(), allocation.unit().size().mib());
        return card + "," + TYPE + "," + mib + "," + (whole ? ALL_CORES : share.cores()) + OF_CARD;
    }

    /**
     * The devices by container, with an empty list for each container that has none.
     *
     * @throws IllegalArgumentException with the reason if the value of {@value #DEVICES} is malformed
     */
    public static List<List<Device>> parse(String written) {
        List<List<Device>> containers = new ArrayList<>();
        String ended = written.endsWith(OF_CONTAINER) ? written.substring(0, written.length() - 1) : written;
        for (String container : ended.split(OF_CONTAINER, -1)) {
            List<Device> devices = new ArrayList<>();
            for (String device : container.split(OF_CARD, -1)) {
                if (!device.isEmpty() && !device.equals(NO_DEVICE)) {
                    devices.add(Device.of(device));
                }
            }
            containers.add(List.copyOf(devices));
        }
        return List.copyOf(containers);
    }
}
