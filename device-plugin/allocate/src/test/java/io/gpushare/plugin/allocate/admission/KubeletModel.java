package io.gpushare.plugin.allocate.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.kubelet.CallHandler;
import io.gpushare.plugin.allocate.snapshot.DeviceIdParser;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import io.gpushare.plugin.allocate.snapshot.PodResourcesList;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.PodName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A model of the kubelet's device manager: it admits one pod at a time, container by container, reuses the
 * devices of init containers for later ones, and records its allocations by pod and container.
 */
public final class KubeletModel {
    /**
     * A container's devices of each resource in the kubelet's allocations, and the cards that its environment names.
     */
    public record Given(ContainerDemand demand, Map<DeviceResource, Set<String>> devices, ContainerAllocation sees) {
        Set<String> ids() {
            return devices.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
        }
    }

    /** A pod that the kubelet rejected, with the reason. */
    public static final class Rejected extends Exception {
        private static final long serialVersionUID = 1;

        /** Whether the plugin refused; otherwise there were too few devices. */
        final boolean byPlugin;

        public Rejected(boolean byPlugin, String reason) {
            super(reason);
            this.byPlugin = byPlugin;
        }
    }

    private final Random random;
    private final boolean callsPreferred;
    private final Map<PodRef, Map<String, Given>> allocations = new LinkedHashMap<>();

    public KubeletModel(long seed, boolean callsPreferred) {
        this.random = new Random(seed);
        this.callsPreferred = callsPreferred;
    }

    public Map<PodRef, Map<String, Given>> allocations() {
        return allocations;
    }

    /** The list of pod-resources, which lacks ordinary init containers. */
    public PodResourcesList listed() {
        Map<PodName, Map<String, Set<String>>> pods = new HashMap<>();
        allocations.forEach((pod, containers) -> {
            Map<String, Set<String>> devices = new HashMap<>();
            containers.forEach((name, given) -> {
                if (given.demand().role() != ContainerRole.INIT) {
                    devices.put(name, given.ids());
                }
            });
            pods.put(PodName.of(pod), devices);
        });
        return new PodResourcesList(pods);
    }

    /** The kubelet's checkpoint, with every answered call. */
    public KubeletCheckpoint checkpoint() {
        List<KubeletCheckpoint.Entry> entries = new ArrayList<>();
        allocations.forEach((pod, containers) -> containers.forEach((name, given) -> {
            List<NamedCard> cards = given.sees().visibleCards().stream()
                    .<NamedCard>map(NamedCard.ByUuid::new)
                    .toList();
            given.devices()
                    .forEach((resource, ids) -> entries.add(
                            new KubeletCheckpoint.Entry(pod.uid(), name, "any.com/" + resource, ids, cards)));
        }));
        return KubeletCheckpoint.of(entries);
    }

    /** Every allocated device. */
    public Set<String> allocatedIds() {
        Set<String> all = new HashSet<>();
        allocations.values().forEach(containers -> containers.values().forEach(given -> all.addAll(given.ids())));
        return all;
    }

    public void forget(PodRef pod) {
        allocations.remove(pod);
    }

    /** Admits the pod; the allocations before a rejection stay until the pod is forgotten. */
    public void admit(NodePod pod, CallHandler plugin, java.util.function.Supplier<DeviceLists> lists) throws Rejected {
        Map<String, Given> own = new LinkedHashMap<>();
        allocations.put(pod.ref(), own);
        Set<String> reusable = new TreeSet<>();
        for (ContainerDemand container : pod.demand().valid().orElseThrow().containers()) {
            List<DeviceResource> resources = new ArrayList<>(lists.get().lists().keySet());
            resources.removeIf(resource -> resource.amount(container) == 0);
            Collections.shuffle(resources, random);
            for (DeviceResource resource : resources) {
                Set<String> ids = choose(resource, container, reusable, plugin, lists.get());
                switch (plugin.allocate(resource, shuffled(ids))) {
                    case Outcome.Refused<ContainerAllocateResponse>(var _, String reason, var _) ->
                        throw new Rejected(true, reason);
                    case Outcome.Of<ContainerAllocateResponse>(var given) ->
                        own.merge(
                                container.name(),
                                new Given(container, Map.of(resource, ids), sees(container, given.getEnvsMap())),
                                KubeletModel::both);
                }
                if (container.role() == ContainerRole.INIT) {
                    reusable.addAll(ids);
                } else {
                    reusable.removeAll(ids);
                }
            }
        }
    }

    /** The kubelet merges the responses for several resources of a container; they must not contradict each other. */
    private static Given both(Given first, Given second) {
        assertThat(second.sees()).isEqualTo(first.sees());
        Map<DeviceResource, Set<String>> devices = new HashMap<>(first.devices());
        devices.putAll(second.devices());
        return new Given(first.demand(), devices, first.sees());
    }

    private Set<String> choose(
            DeviceResource resource,
            ContainerDemand container,
            Set<String> reusable,
            CallHandler plugin,
            DeviceLists lists)
            throws Rejected {
        int count = resource.amount(container);
        Set<String> mine = new TreeSet<>();
        shuffled(reusable).stream()
                .filter(id -> DeviceIdParser.mayBe(Set.of(id), resource.kind()))
                .limit(count)
                .forEach(mine::add);
        if (mine.size() == count) {
            return mine;
        }
        Set<String> free = new TreeSet<>();
        lists.list(resource).stream().filter(Offered::healthy).map(Offered::id).forEach(free::add);
        free.removeAll(allocatedIds());
        if (free.size() + mine.size() < count) {
            throw new Rejected(false, "requested number of devices unavailable");
        }
        List<String> available = new ArrayList<>(shuffled(free));
        available.addAll(mine);
        List<String> preferred =
                callsPreferred ? plugin.preferred(resource, available, List.copyOf(mine), count) : List.of();
        Set<String> chosen = new TreeSet<>(mine);
        preferred.stream().filter(available::contains).limit(count).forEach(chosen::add);
        available.stream().filter(id -> chosen.size() < count).forEach(chosen::add);
        return chosen;
    }

    private List<String> shuffled(Set<String> ids) {
        List<String> order = new ArrayList<>(new TreeSet<>(ids));
        Collections.shuffle(order, random);
        return order;
    }

    private static Map<CardId, Share> slotted(
            ContainerDemand container, List<CardId> cards, Map<String, String> environment) {
        Map<CardId, Share> shares = new LinkedHashMap<>();
        for (CardId card : cards) {
            String limit = environment.get("CUDA_DEVICE_MEMORY_LIMIT_" + shares.size());
            Share each = container.onEach(cards.size()).without(ShareKind.PART);
            shares.put(card, limit == null ? each : each.withUnits(Integer.parseInt(limit.replace("m", "")) / 1024));
        }
        return shares;
    }

    /** The allocation that a program in the container finds. */
    private static ContainerAllocation sees(ContainerDemand container, Map<String, String> environment) {
        List<CardId> cards = Arrays.stream(Objects.requireNonNull(environment.get("NVIDIA_VISIBLE_DEVICES"))
                        .split(",", -1))
                .map(CardId::new)
                .toList();
        if (container.request().slots() > 0) {
            return new ContainerAllocation(container.name(), container.role(), slotted(container, cards, environment));
        }
        Optional<String> units = Optional.ofNullable(environment.get("ALIYUN_COM_GPU_MEM_CONTAINER"));
        return new ContainerAllocation(
                container.name(),
                container.role(),
                units.map(count -> Map.of(
                                cards.getFirst(),
                                Share.memory(Integer.parseInt(count))
                                        .plus(Share.cores(container.request().cores()))))
                        .orElseGet(() -> cards.stream().collect(Collectors.toMap(card -> card, CardId::whole))));
    }
}
