package io.gpushare.plugin.allocate.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import io.gpushare.plugin.allocate.snapshot.NodeAllocations.Evidence;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.PodName;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Random evidence from every source, which may contradict each other: what holds for the merge whatever they say. */
class AllocationMergeProperties {
    private static final List<CardId> CARDS = List.of(new CardId("GPU-a"), new CardId("GPU-b"), new CardId("GPU-c"));
    private static final Inventory INVENTORY = new Inventory(
            MemoryUnit.GIB,
            null,
            CARDS.stream()
                    .map(card -> Card.of(card.uuid(), CARDS.indexOf(card), Memory.ofGib(15)))
                    .toList());

    /** Random evidence about some pods of one container each; a device is of one container, as at the kubelet. */
    private static final class World {
        private final Random random;
        private final Map<CardId, Integer> devices = new HashMap<>();
        private final Map<String, NodePod> pods = new LinkedHashMap<>();
        private final Map<PodName, Map<String, Set<String>>> listed = new LinkedHashMap<>();
        private final List<AnsweredCall> calls = new ArrayList<>();
        private final List<KubeletCheckpoint.Entry> entries = new ArrayList<>();

        World(long seed) {
            random = new Random(seed);
            for (int number = 0; number < 4; number++) {
                add("p" + number, 1 + random.nextInt(5), number);
            }
        }

        private void add(String name, int units, int second) {
            Set<String> ids = ids(card(), units);
            boolean inApi = chance(80);
            if (inApi) {
                NodePod pod = pod(name, units, second);
                pods.put(pod.ref().uid(), chance(10) ? TestPods.ended(pod) : pod);
            }
            if (chance(60)) {
                listed.put(new PodName("default", name), chance(80) ? Map.of("main", ids) : Map.of());
            }
            if (chance(30)) {
                calls.add(new AnsweredCall(
                        TestPods.ref(name), TestPods.share("main", card(), units), ids, TestPods.START));
            }
            if (chance(30)) {
                entries.add(new KubeletCheckpoint.Entry(
                        TestPods.ref(name).uid(), "main", "any.com/mem", ids, List.of(new NamedCard.ByUuid(card()))));
            }
        }

        private NodePod pod(String name, int units, int second) {
            NodePod pod = chance(30)
                    ? TestPods.gpushare(
                            name,
                            units,
                            Map.of("IDX", "" + random.nextInt(3), "DEV", "15", "ASSIGNED", "" + chance(50)))
                    : chance(60)
                            ? TestPods.onCard(name, second, card(), units)
                            : TestPods.unannotated(name, second, TestPods.memory("main", units));
            return chance(20) ? TestPods.started(pod) : pod;
        }

        private boolean chance(int percent) {
            return random.nextInt(100) < percent;
        }

        private CardId card() {
            return CARDS.get(random.nextInt(CARDS.size()));
        }

        private Set<String> ids(CardId card, int units) {
            Set<String> ids = new HashSet<>();
            for (int unit = 0; unit < units; unit++) {
                int number = devices.merge(card, 1, Integer::sum);
                ids.add(card + "::" + (number - 1));
            }
            return ids;
        }

        /** The same evidence, where each source reports in another order. */
        World shuffled() {
            List<NodePod> order = new ArrayList<>(pods.values());
            Collections.shuffle(order, random);
            pods.clear();
            order.forEach(pod -> pods.put(pod.ref().uid(), pod));
            Collections.shuffle(calls, random);
            Collections.shuffle(entries, random);
            return this;
        }

        NodeEvidence evidence() {
            return new NodeEvidence(
                    INVENTORY,
                    pods,
                    new PodResourcesList(listed),
                    Set.of(),
                    new AnsweredCalls(calls),
                    KubeletCheckpoint.of(entries));
        }

        NodeAllocations allocations() {
            return NodeAllocations.of(evidence());
        }
    }

    @Property(tries = 2000)
    void theOrderOfTheEvidenceDoesNotMatter(@ForAll long seed) {
        World world = new World(seed);
        assertThat(world.allocations()).isEqualTo(world.shuffled().allocations());
    }

    /** Also if the sources contradict each other: no card has more free memory than each possible truth leaves. */
    @Property(tries = 2000)
    void whatEachContainerMayHaveIsCounted(@ForAll long seed) {
        NodeEvidence evidence = new World(seed).evidence();
        NodeAllocations merged = NodeAllocations.of(evidence);
        Map<CardId, Integer> least = new HashMap<>();
        for (NodePod pod : evidence.holders()) {
            possible(evidence.of(pod))
                    .forEach(container -> container
                            .shares()
                            .forEach((card, share) -> least.merge(card, share.units(), Integer::sum)));
        }
        for (CardState state : merged.reserved().cards()) {
            assertThat(state.allocated().units())
                    .as("%s", state)
                    .isGreaterThanOrEqualTo(least.getOrDefault(state.card().id(), 0));
        }
    }

    /** A response is the truth; without one, the annotation and the devices may each be. */
    private static List<ContainerAllocation> possible(PodEvidence evidence) {
        if (!evidence.responses().isEmpty()) {
            return List.copyOf(evidence.responses().values());
        }
        Optional<ContainerAllocation> annotated = evidence.hasOurDevices() || evidence.hasOthersDevices()
                ? evidence.pod()
                        .allocation()
                        .valid()
                        .map(Allocation::containers)
                        .map(List::getFirst)
                : Optional.empty();
        List<ContainerAllocation> possible = new ArrayList<>(annotated.stream().toList());
        evidence.listed().allocations().values().stream()
                .filter(devices -> annotated
                        .filter(same -> same.visibleCards().equals(devices.visibleCards()))
                        .isEmpty())
                .forEach(possible::add);
        return possible;
    }

    @Property(tries = 2000)
    void aResponseDecidesWhateverElseIsSaid(@ForAll long seed) {
        NodeEvidence evidence = new World(seed).evidence();
        NodeAllocations merged = NodeAllocations.of(evidence);
        for (NodePod pod : evidence.holders()) {
            PodEvidence own = evidence.of(pod);
            own.responses().values().forEach(response -> {
                Allocation has = merged.assigned().allocationOf(pod.ref().uid()).orElseThrow();
                assertThat(has.container(response.name())).contains(response);
                assertThat(merged.evidence().get(pod.ref().uid())).isIn(null, Evidence.RESPONSES);
            });
        }
    }

    @Property(tries = 2000)
    void anAllocatedDeviceIsNeverWithdrawn(@ForAll long seed) {
        World world = new World(seed);
        NodeAllocations merged = world.allocations();
        Set<String> allocated = new HashSet<>();
        world.evidence().holders().forEach(pod -> {
            Optional.ofNullable(world.listed.get(pod.name()))
                    .ifPresent(all -> all.values().forEach(allocated::addAll));
            world.calls.stream()
                    .filter(call -> call.pod().equals(pod.ref()))
                    .forEach(call -> allocated.addAll(call.ids()));
        });
        assertThat(merged.allocatedIds()).containsAll(allocated);
        assertThat(DeviceLists.of(merged).list(DeviceResource.MEMORY))
                .filteredOn(device -> allocated.contains(device.id()))
                .allMatch(DeviceLists.Offered::healthy);
    }
}
