package io.gpushare.plugin.allocate.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.ledger.Placement;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.DeviceIdParser;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Containers whose devices are of other cards than they have. Under churn on a full node such a container must not
 * cause the next ones without an end.
 */
class DeviceDriftTest {
    private static final int STEPS = 500;
    private static final Inventory CARDS = new Inventory(
            MemoryUnit.GIB,
            null,
            IntStream.range(0, 4)
                    .mapToObj(index -> Card.of("GPU-" + index, index, Memory.ofGib(15)))
                    .toList());

    private final AtomicLong millis = new AtomicLong(TestPods.START.toEpochMilli());
    private final LatestSnapshot latest = new LatestSnapshot(NodeSnapshot.of(CARDS), () -> {});
    private final List<NodePod> pods = new ArrayList<>();
    private KubeletModel kubelet = new KubeletModel(0, true);
    private Random random = new Random(0);

    @Test
    void aContainerWithDevicesOfAnotherCardCausesFewMoreAndThenNone() throws Exception {
        int caused = 0;
        for (int seed = 1; seed < 3; seed++) {
            int before = caused;
            random = new Random(seed);
            kubelet = new KubeletModel(seed, true);
            List.copyOf(pods).forEach(this::delete);
            AllocationHandler plugin = plugin(() -> Optional.of(List.copyOf(pods)));
            boolean late = false;
            for (int step = 0; step < STEPS; step++) {
                if (!pods.isEmpty() && random.nextInt(40) < pods.size()) {
                    delete(pods.get(random.nextInt(pods.size())));
                }
                Optional<NodePod> bound = bind("p" + seed + "-" + step);
                if (bound.isPresent()) {
                    NodePod pod = bound.get();
                    boolean first = step > 100 && !late && offers(without(card(pod)), pod);
                    late |= first;
                    kubelet.admit(pod, plugin, () -> first ? without(card(pod)) : lists());
                    caused += !first && differs(pod.ref()) ? 1 : 0;
                }
            }
            assertThat(late).isTrue();
            assertThat(pods).as("seed %d, %d caused", seed, caused - before).noneMatch(pod -> differs(pod.ref()));
        }
        assertThat(caused).isBetween(1, 40);
    }

    /** The API server is slow, as it is after it was away. */
    @Test
    void aPodThatTheWatchReportsDuringTheFirstCallGetsDevicesOfItsCard() throws Exception {
        NodePod pod = TestPods.onCard("p", 0, new CardId("GPU-2"), 3);
        kubelet.admit(
                pod,
                plugin(() -> {
                    latest.update(snapshot -> snapshot.withPod(pod));
                    return Optional.empty();
                }),
                this::lists);

        assertThat(differs(pod.ref())).isFalse();
    }

    private AllocationHandler plugin(Supplier<Optional<List<NodePod>>> live) {
        return new AllocationHandler(
                latest,
                _ -> Optional.of(kubelet.listed()),
                _ -> live.get(),
                (_, _) -> Optional.empty(),
                new ContainerSettings(Set.of(DeviceListStrategy.ENVVAR)),
                TestIsolation.none(),
                () -> Instant.ofEpochMilli(millis.incrementAndGet()));
    }

    private Optional<NodePod> bind(String name) {
        NodePod pod = TestPods.unannotated(name, 0, TestPods.memory("main", 1 + random.nextInt(10)));
        if (latest.now().allocations().reserved().place(pod.demand().valid().orElseThrow())
                instanceof Placement.Placed(Allocation allocation)) {
            NodePod bound = TestPods.annotated(pod, allocation);
            pods.add(bound);
            latest.update(snapshot -> snapshot.withPod(bound));
            return Optional.of(bound);
        }
        return Optional.empty();
    }

    private void delete(NodePod pod) {
        pods.remove(pod);
        kubelet.forget(pod.ref());
        latest.update(snapshot -> snapshot.withoutPod(pod.ref().uid())
                .withListed(kubelet.listed(), Instant.ofEpochMilli(millis.incrementAndGet())));
    }

    private static CardId card(NodePod pod) {
        return pod.allocation().valid().orElseThrow().cards().iterator().next();
    }

    private DeviceLists lists() {
        return DeviceLists.of(latest.now().allocations());
    }

    /** The lists in which the free devices of that card are not offered yet. */
    private DeviceLists without(CardId card) {
        Map<DeviceResource, List<Offered>> fewer = new HashMap<>();
        Set<String> allocated = kubelet.allocatedIds();
        lists().lists()
                .forEach((resource, list) -> fewer.put(
                        resource,
                        list.stream()
                                .map(each ->
                                        new Offered(each.id(), allocated.contains(each.id()) || !of(card, each.id())))
                                .toList()));
        return new DeviceLists(fewer);
    }

    private static boolean of(CardId card, String id) {
        return DeviceIdParser.devices(List.of(id)).getFirst().card().equals(card);
    }

    private boolean offers(DeviceLists lists, NodePod pod) {
        Set<String> allocated = kubelet.allocatedIds();
        long free = lists.list(DeviceResource.MEMORY).stream()
                .filter(each -> each.healthy() && !allocated.contains(each.id()))
                .count();
        return free >= pod.demand().valid().orElseThrow().total().units();
    }

    /** Whether the kubelet's devices of the pod are of other cards than its container has. */
    private boolean differs(PodRef pod) {
        return kubelet.allocations().getOrDefault(pod, Map.of()).values().stream()
                .anyMatch(given -> !DeviceIdParser.devices(given.ids()).stream()
                        .map(DeviceId::card)
                        .collect(Collectors.toSet())
                        .equals(given.sees().visibleCards()));
    }
}
