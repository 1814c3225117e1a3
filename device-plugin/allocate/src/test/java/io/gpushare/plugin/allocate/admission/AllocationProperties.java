package io.gpushare.plugin.allocate.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.AnnotationDifference;
import io.gpushare.plugin.allocate.snapshot.DeviceIdParser;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Random histories of a node: in any order of events, every container sees the cards of its pod's annotation and no
 * others. The file is long because the model of the node, which the properties inspect, belongs to them.
 */
class AllocationProperties {
    private static final long SEED = 20_261_121;
    private static final Inventory CARDS = new Inventory(
                    MemoryUnit.GIB,
                    null,
                    List.of(
                            card("GPU-a", 0, 15),
                            card("GPU-b", 1, 15),
                            card("GPU-c", 2, 24),
                            TestPods.instance("MIG-d", 3, "1g.10gb", 9),
                            TestPods.instance("MIG-e", 4, "3g.40gb", 39),
                            TestPods.instance("MIG-f", 5, "1g.10gb", 9)))
            .withBeside(Share.ALL_CORES.plus(Share.slots(3)));

    private static Card card(String uuid, int index, int gib) {
        return TestPods.mps(Card.of(uuid, index, Memory.ofGib(gib)));
    }

    @Property(tries = 50)
    void noCardIsOverCommittedOrSharedAndWholeAtOnceAndNoAllocatedDeviceIsWithdrawn(
            @ForAll long seed, @ForAll boolean callsPreferred) {
        Life life = new Life(seed, callsPreferred);
        for (int step = 0; step < 40; step++) {
            life.step();
            life.check();
        }
    }

    /** With fewer units a burst fills the node with a hundred containers, which takes minutes and shows no more. */
    @Property(tries = 60)
    void inABurstOfEqualDemandsEveryContainerSeesTheAnnotatedCardOfItsPod(
            @ForAll long seed, @ForAll boolean callsPreferred, @ForAll @IntRange(min = 2, max = 6) int units) {
        Life life = new Life(seed, callsPreferred);
        while (life.scheduled(List.of(TestPods.memory("one", units), TestPods.memory("two", units)))) {
            life.watchSeesSome();
        }
        life.admitAll();
        assertThat(life.refusals).isEmpty();
        assertThat(life.kubelet.allocations()).hasSizeGreaterThan(5);
        life.check();
    }

    /** Half of {@code -Dgpushare.events} events, with a new node after each hundred, so that histories differ. */
    @Example
    void aLongHistoryHoldsAsWell() {
        int events = Integer.getInteger("gpushare.events", 10_000) / 2;
        int pods = 0;
        int refused = 0;
        for (int node = 0; node * 100 < events; node++) {
            Life life = new Life(SEED + node, node % 2 == 0);
            for (int step = 0; step < 100; step++) {
                life.step();
                life.check();
            }
            pods += life.names;
            refused += life.refusals.size();
        }
        System.out.println(
                "plugin histories: " + events + " events, " + pods + " pods, " + refused + " refused, 0 violations");
    }

    /** One node with its API, its extender's ledger, its kubelet and the plugin. */
    private static final class Life {
        private final Random random;
        private final AtomicLong millis = new AtomicLong(TestPods.START.toEpochMilli());
        private final InstantSource clock = () -> java.time.Instant.ofEpochMilli(millis.incrementAndGet());
        private final KubeletModel kubelet;
        private final Map<String, NodePod> api = new LinkedHashMap<>();
        private final List<NodePod> waiting = new ArrayList<>();
        private final List<String> refusals = new ArrayList<>();
        private LatestSnapshot latest;
        private AllocationHandler plugin;
        private int names;
        private final boolean preferring;
        private Inventory cards = CARDS;

        Life(long seed, boolean callsPreferred) {
            this.random = new Random(seed);
            this.preferring = callsPreferred;
            this.kubelet = new KubeletModel(seed, callsPreferred);
            this.latest = new LatestSnapshot(NodeSnapshot.of(CARDS), () -> {});
            this.plugin = admission(latest);
        }

        private AllocationHandler admission(LatestSnapshot snapshot) {
            return new AllocationHandler(
                    snapshot,
                    _ -> Optional.of(kubelet.listed()),
                    _ -> Optional.of(List.copyOf(api.values())),
                    (_, _) -> Optional.empty(),
                    new ContainerSettings(Set.of(DeviceListStrategy.ENVVAR)),
                    TestIsolation.none(),
                    clock);
        }

        void step() {
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> scheduled(demand());
                case 3 -> byAnotherScheduler(demand());
                case 4, 5 -> admitAll();
                case 6 -> any().ifPresent(this::end);
                case 7 -> any().ifPresent(this::delete);
                case 8 -> {
                    if (preferring) {
                        cordonOther();
                    }
                }
                default -> restartPlugin();
            }
            watchSeesSome();
        }

        private void cordonOther() {
            Set<CardId> cordoned = new HashSet<>();
            CARDS.cards().stream().filter(card -> random.nextInt(4) == 0).forEach(card -> cordoned.add(card.id()));
            cards = CARDS.withCordoned(cordoned);
            latest.update(snapshot -> snapshot.withInventory(cards));
        }

        private List<ContainerDemand> demand() {
            if (random.nextInt(3) == 0) {
                return slotted();
            }
            if (random.nextInt(3) == 0) {
                return List.of(TestPods.cards("main", 1 + random.nextInt(2)));
            }
            if (random.nextInt(3) == 0) {
                String profile = random.nextBoolean() ? "1g.10gb" : "3g.40gb";
                return List.of(new ContainerDemand("main", ContainerRole.APP, Share.INSTANCE, profile));
            }
            List<ContainerDemand> containers = new ArrayList<>();
            if (random.nextInt(3) == 0) {
                containers.add(new ContainerDemand("init", ContainerRole.INIT, share(6)));
            }
            if (random.nextInt(4) == 0) {
                containers.add(new ContainerDemand("side", ContainerRole.SIDECAR, share(3)));
            }
            containers.add(new ContainerDemand("main", ContainerRole.APP, share(6)));
            return containers;
        }

        /** Containers that request slots: MPS serves no container with parts of several cards. */
        private List<ContainerDemand> slotted() {
            List<ContainerDemand> containers = new ArrayList<>();
            if (random.nextInt(3) == 0) {
                containers.add(new ContainerDemand("init", ContainerRole.INIT, slottedShare()));
            }
            containers.add(new ContainerDemand("main", ContainerRole.APP, slottedShare()));
            if (random.nextInt(3) == 0) {
                containers.add(new ContainerDemand("other", ContainerRole.APP, slottedShare()));
            }
            return containers;
        }

        private Share slottedShare() {
            int cores = random.nextInt(2) * random.nextInt(50);
            return switch (random.nextInt(3)) {
                case 0 -> {
                    int cards = 1 + random.nextInt(2);
                    yield Share.whole(cards).plus(Share.slots(cards));
                }
                case 1 -> Share.cores(cores).plus(Share.slots(1)).plus(Share.part(1 + random.nextInt(60)));
                default ->
                    Share.memory(1 + random.nextInt(8)).plus(Share.cores(cores)).plus(Share.slots(1));
            };
        }

        /** Some memory and, of a part of the containers, some cores. */
        private Share share(int most) {
            return Share.memory(1 + random.nextInt(most))
                    .plus(Share.cores(random.nextInt(2) * (1 + random.nextInt(40))));
        }

        private NodePod create(List<ContainerDemand> demand) {
            int name = names++;
            return TestPods.unannotated("p" + name, name / 3, demand.toArray(ContainerDemand[]::new));
        }

        /** Places like the extender, on a ledger of the annotated allocations of the API. */
        boolean scheduled(List<ContainerDemand> demand) {
            NodeCards ledger = NodeCards.of(cards);
            for (NodePod pod : api.values()) {
                Optional<Allocation> allocation = pod.allocation().valid();
                if (!pod.ended() && allocation.isPresent()) {
                    ledger = ledger.with(pod.ref(), allocation.get());
                }
            }
            NodePod pod = create(demand);
            return switch (ledger.place(pod.demand().valid().orElseThrow())) {
                case Placement.Placed(Allocation allocation) -> {
                    bound(TestPods.annotated(pod, allocation));
                    yield true;
                }
                case Placement.Refused _ -> false;
            };
        }

        private void byAnotherScheduler(List<ContainerDemand> demand) {
            bound(create(demand.stream()
                    .filter(container -> container.role() != ContainerRole.INIT)
                    .toList()));
        }

        private void bound(NodePod pod) {
            api.put(pod.ref().uid(), pod);
            waiting.add(pod);
        }

        /** The watch is late: it reports only some of the API's pods. */
        void watchSeesSome() {
            for (NodePod pod : api.values()) {
                if (random.nextInt(3) > 0) {
                    latest.update(snapshot -> snapshot.withPod(pod));
                }
            }
        }

        void admitAll() {
            for (NodePod pod : List.copyOf(waiting)) {
                try {
                    kubelet.admit(pod, plugin, () -> DeviceLists.of(latest.now().allocations()));
                } catch (KubeletModel.Rejected rejected) {
                    if (rejected.byPlugin) {
                        refusals.add(rejected.getMessage());
                    }
                    kubelet.forget(pod.ref());
                    api.put(pod.ref().uid(), TestPods.ended(pod));
                    latest.update(snapshot -> snapshot.withPod(TestPods.ended(pod)));
                }
            }
            waiting.clear();
        }

        private Optional<NodePod> any() {
            List<NodePod> running = api.values().stream()
                    .filter(pod -> kubelet.allocations().containsKey(pod.ref()))
                    .toList();
            return running.isEmpty() ? Optional.empty() : Optional.of(running.get(random.nextInt(running.size())));
        }

        private void end(NodePod pod) {
            NodePod ended = TestPods.ended(pod);
            api.put(pod.ref().uid(), ended);
            kubelet.forget(pod.ref());
            if (random.nextBoolean()) {
                latest.update(snapshot -> snapshot.withPod(ended));
            }
        }

        private void delete(NodePod pod) {
            api.remove(pod.ref().uid());
            kubelet.forget(pod.ref());
            // The watch reports it sooner or later, and then pod-resources is read again.
            latest.update(
                    snapshot -> snapshot.withoutPod(pod.ref().uid()).withListed(kubelet.listed(), clock.instant()));
        }

        /** While the plugin is down, tenants may edit annotations: the kubelet's checkpoint proves every allocation. */
        private void restartPlugin() {
            if (random.nextBoolean()) {
                any().ifPresent(pod -> annotated(pod.ref())
                        .ifPresent(allocation ->
                                api.put(pod.ref().uid(), TestPods.annotated(pod, onOtherCards(allocation)))));
            }
            latest = new LatestSnapshot(NodeSnapshot.of(cards), () -> {});
            plugin = admission(latest);
            api.values().forEach(pod -> latest.update(snapshot -> snapshot.withPod(pod)));
            latest.update(snapshot -> snapshot.withListed(kubelet.listed(), clock.instant()));
            latest.update(snapshot -> snapshot.withCheckpoint(kubelet.checkpoint()));
            for (AnnotationDifference difference : AnnotationDifference.of(latest.now())) {
                assertThat(difference.kind()).isNotEqualTo(AnnotationDifference.Kind.UNCONFIRMED);
                NodePod pod =
                        Objects.requireNonNull(api.get(difference.pod().ref().uid()));
                api.put(
                        pod.ref().uid(),
                        TestPods.annotated(pod, difference.actual().orElseThrow()));
            }
        }

        private static Allocation onOtherCards(Allocation allocation) {
            List<CardId> ids = CARDS.cards().stream().map(Card::id).toList();
            List<ContainerAllocation> moved = new ArrayList<>();
            for (ContainerAllocation container : allocation.containers()) {
                Map<CardId, Share> shares = new LinkedHashMap<>();
                container.shares().forEach((card, share) -> shares.put(other(ids, card), share));
                moved.add(new ContainerAllocation(container.name(), container.role(), shares));
            }
            return new Allocation(allocation.unit(), moved);
        }

        /** Another card of the same kind. */
        private static CardId other(List<CardId> ids, CardId card) {
            List<CardId> alike =
                    ids.stream().filter(id -> id.instance() == card.instance()).toList();
            return alike.get((alike.indexOf(card) + 1) % alike.size());
        }

        private Optional<Allocation> annotated(PodRef pod) {
            return Optional.ofNullable(api.get(pod.uid()))
                    .flatMap(each -> each.allocation().valid());
        }

        void check() {
            NodeCards truth = NodeCards.of(cards);
            for (var running : kubelet.allocations().entrySet()) {
                var sees = running.getValue().values().stream()
                        .map(KubeletModel.Given::sees)
                        .toList();
                truth = truth.with(running.getKey(), new Allocation(MemoryUnit.GIB, sees));
                annotated(running.getKey())
                        .ifPresent(annotation -> assertThat(sees).isEqualTo(annotation.containers()));
            }
            assertThat(truth.cards()).noneMatch(CardState::overCommitted);
            checkLists(truth);
        }

        private void checkLists(NodeCards truth) {
            DeviceLists lists = DeviceLists.of(latest.now().allocations());
            Set<String> allocated = kubelet.allocatedIds();
            List<String> withdrawn = new ArrayList<>();
            for (List<Offered> list : lists.lists().values()) {
                list.stream()
                        .filter(device -> !device.healthy() && allocated.contains(device.id()))
                        .map(Offered::id)
                        .forEach(withdrawn::add);
            }
            assertThat(withdrawn).isEmpty();
            // A pod may have ended unreported: its devices of a cordoned card stay healthy until then.
            Set<String> taken = new HashSet<>(allocated);
            latest.now().allocations().allocatedIds().stream()
                    .filter(id -> cards.card(new CardId(id.replaceFirst("::.*", "")))
                            .orElseThrow()
                            .cordoned())
                    .forEach(taken::add);
            long freeCards = truth.cards().stream()
                    .filter(state -> state.offers(Share.WHOLE_CARD))
                    .count();
            assertThat(free(lists.list(DeviceResource.CARDS), taken)).isLessThanOrEqualTo(freeCards);
            for (DeviceResource profile : lists.instances()) {
                long freeInstances = truth.cards().stream()
                        .filter(state -> state.offers(Share.INSTANCE)
                                && profile.profile().equals(state.card().profile()))
                        .count();
                assertThat(free(lists.list(profile), taken)).isLessThanOrEqualTo(freeInstances);
            }
            long freeUnits = truth.cards().stream()
                    .mapToLong(state -> state.free().units())
                    .sum();
            assertThat(free(lists.list(DeviceResource.MEMORY), taken)).isLessThanOrEqualTo(freeUnits);
            long freeCores = truth.cards().stream()
                    .mapToLong(state -> state.free().cores())
                    .sum();
            assertThat(free(lists.list(DeviceResource.CORES), taken)).isLessThanOrEqualTo(freeCores);
            long freeSlots = truth.cards().stream()
                    .filter(state -> state.free().units() > 0)
                    .mapToLong(state -> state.free().slots())
                    .sum();
            assertThat(free(lists.list(DeviceResource.SLOTS), taken))
                    .isLessThanOrEqualTo(freeSlots + slotsInherited(truth));
        }

        /**
         * Slots of init containers' cards that the kubelet counts once with those of the containers after them, which
         * are of other cards.
         */
        private long slotsInherited(NodeCards truth) {
            long held = truth.cards().stream()
                    .mapToLong(state -> state.allocated().slots())
                    .sum();
            long counted = kubelet.allocatedIds().stream()
                    .filter(id -> DeviceIdParser.mayBe(Set.of(id), ShareKind.SLOTS))
                    .count();
            return held - counted;
        }

        private static long free(List<Offered> list, Set<String> allocated) {
            return list.stream()
                    .filter(device -> device.healthy() && !allocated.contains(device.id()))
                    .count();
        }
    }
}
