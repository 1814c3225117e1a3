package io.gpushare.plugin.offer;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.claims.SliceSpecs;
import io.gpushare.plugin.allocate.admission.AllocationHandler;
import io.gpushare.plugin.allocate.admission.KubeletModel;
import io.gpushare.plugin.allocate.admission.TestIsolation;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.allocate.state.PodHoldings;
import io.gpushare.plugin.claims.prepare.CdiFiles;
import io.gpushare.plugin.claims.prepare.ClaimReader;
import io.gpushare.plugin.claims.prepare.ClaimRequests;
import io.gpushare.plugin.claims.prepare.NodeClaims;
import io.gpushare.plugin.claims.prepare.NvidiaCdi;
import io.gpushare.plugin.claims.prepare.Prepared;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.holdings.InUse;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.offer.InventoryAssembler;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/**
 * Random histories of a node whose label moves it between both ways to offer its cards, while pods of both start and
 * end and processes are killed: no card is given, or offered, in both ways at once.
 */
class OneOffererProperties {
    private static final Inventory CARDS = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(
                    Card.of("GPU-a", 0, Memory.ofGib(15)),
                    Card.of("GPU-b", 1, Memory.ofGib(15)),
                    Card.of("GPU-c", 2, Memory.ofGib(15))));

    @Property(tries = 100)
    void aCardIsGivenAndOfferedInOneWayAtATime(@ForAll long seed) throws IOException {
        history(seed, Node::check);
    }

    /** Both ways are used at once, on different cards: the property above is about something. */
    @Example
    void cardsMoveInBothDirectionsWhilePodsHaveOthers() throws IOException {
        AtomicInteger toClaims = new AtomicInteger();
        AtomicInteger back = new AtomicInteger();
        for (int seed = 0; seed < 40; seed++) {
            history(seed, node -> {
                toClaims.addAndGet(node.cardsOfPods().isEmpty() || node.slices.isEmpty() ? 0 : 1);
                back.addAndGet(
                        node.cardsOfClaims().isEmpty()
                                        || node.offeredToKubelet().isEmpty()
                                ? 0
                                : 1);
            });
        }
        assertThat(toClaims).hasValueGreaterThan(20);
        assertThat(back).hasValueGreaterThan(20);
    }

    private static void history(long seed, Consumer<Node> afterEachStep) throws IOException {
        Path files = Files.createTempDirectory("claims");
        try {
            Node node = new Node(seed, new CdiFiles(files));
            for (int step = 0; step < 80; step++) {
                node.step();
                afterEachStep.accept(node);
            }
        } finally {
            try (Stream<Path> all = Files.list(files)) {
                for (Path file : all.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(files);
        }
    }

    /** The process that has the node's lock. */
    private static final class Running {
        final LatestHoldings holdings = new LatestHoldings(Inventory.empty(MemoryUnit.GIB), () -> {});
        final LatestSnapshot latest = new LatestSnapshot(NodeSnapshot.of(Inventory.empty(MemoryUnit.GIB)), () -> {});
        final PodHoldings ofPods = new PodHoldings(latest, () -> true);
        final boolean dra;
        final Offer offer;
        final InventoryAssembler assembler;
        final NodeClaims claims;
        final AllocationHandler calls;

        Running(boolean dra, Node node) throws IOException {
            this.dra = dra;
            offer = dra ? Offer.CLAIMS : Offer.DEVICE_PLUGIN;
            assembler = new InventoryAssembler(
                    MemoryUnit.GIB,
                    now -> holdings.update(_ -> now),
                    () -> {},
                    _ -> Optional.empty(),
                    now -> InUse.of(holdings.on(now), offer));
            holdings.follow(() -> latest.update(snapshot -> snapshot.withInventory(holdings.inventory())));
            ContainerSettings settings = new ContainerSettings(Set.of(DeviceListStrategy.ENVVAR));
            claims = new NodeClaims(
                    new ClaimDecoder("gpushare.io", "n1"),
                    node,
                    node.files,
                    new ClaimRequests(settings, TestIsolation.none(), new NvidiaCdi(List.of(), _ -> {})),
                    holdings::inventory,
                    (_, now, cards) -> dra
                            ? now.cards().stream()
                                    .filter(card -> cards.contains(card.id()))
                                    .flatMap(card -> Stream.ofNullable(card.inUseBy()))
                                    .findFirst()
                            : Optional.of("by the device plugin now"),
                    _ -> Set.of(),
                    () -> {},
                    () -> {},
                    _ -> {});
            calls = new AllocationHandler(
                    latest,
                    _ -> Optional.of(node.kubelet.listed()),
                    _ -> Optional.of(List.copyOf(node.pods.values())),
                    (_, _) -> Optional.empty(),
                    settings,
                    TestIsolation.none(),
                    InstantSource.system());
            holdings.add(ofPods);
            holdings.add(claims);
        }
    }

    /** A node, its API and its kubelet. */
    private static final class Node implements ClaimReader {
        private final Random random;
        private final CdiFiles files;
        private final KubeletModel kubelet;
        private final Map<String, NodePod> pods = new LinkedHashMap<>();
        private final Map<String, ResourceClaim> claims = new LinkedHashMap<>();
        /** The claims whose containers run, and where. */
        private final Map<String, CardId> prepared = new HashMap<>();
        /** What kube-scheduler sees, also after the end of the process that wrote it. */
        private Set<CardId> slices = Set.of();

        private Set<String> unrecorded = Set.of();
        private @Nullable Running running;
        private int names;

        Node(long seed, CdiFiles files) {
            this.random = new Random(seed);
            this.kubelet = new KubeletModel(seed, true);
            this.files = files;
        }

        void step() throws IOException {
            switch (random.nextInt(16)) {
                case 0 -> running = null;
                case 1, 2, 3 -> start();
                case 4, 5 -> bind();
                case 6, 7 -> admit();
                case 8 -> endPod();
                case 9, 10 -> allocate();
                case 11, 12 -> prepare();
                case 13 -> endClaim();
                default -> unrecorded = Set.of();
            }
            look();
        }

        /** The label may move the node at any moment, also back before the process of the other way ran. */
        private void start() throws IOException {
            if (running == null) {
                running = new Running(random.nextBoolean(), this);
                pods.values().forEach(pod -> running.latest.update(snapshot -> snapshot.withPod(pod)));
                running.latest.update(snapshot -> snapshot.withListed(kubelet.listed(), TestPods.START));
                running.latest.update(snapshot -> snapshot.withCheckpoint(checkpoint()));
                running.claims.recover();
                look();
                running.assembler.scanned(CARDS);
            }
        }

        private void look() throws IOException {
            if (running == null) {
                return;
            }
            if (running.dra) {
                running.ofPods.look(_ -> Optional.of(List.copyOf(pods.values())), () -> Optional.of(checkpoint()));
                running.assembler.assembleAgain();
                slices = new SliceSpecs("gpushare.io", "n1")
                        .of(running.claims.cards(running.holdings.inventory()), 1, true).stream()
                                .flatMap(slice -> ((List<?>) Objects.requireNonNull(slice.get("devices"))).stream())
                                .map(device -> card(String.valueOf(((Map<?, ?>) device).get("name"))))
                                .collect(Collectors.toSet());
                return;
            }
            boolean deleted = slices.isEmpty() || random.nextInt(3) > 0;
            slices = deleted ? Set.of() : slices;
            running.claims.look(deleted ? Optional.empty() : Optional.of("slices"));
            running.assembler.assembleAgain();
        }

        private static CardId card(String name) {
            return CARDS.cards().stream()
                    .map(Card::id)
                    .filter(id -> id.uuid().toLowerCase(Locale.ROOT).equals(name))
                    .findFirst()
                    .orElseThrow();
        }

        /** What the kubelet has written of the calls that were answered. */
        private KubeletCheckpoint checkpoint() {
            Map<String, List<KubeletCheckpoint.Entry>> written =
                    new HashMap<>(kubelet.checkpoint().pods());
            written.keySet().removeAll(unrecorded);
            return new KubeletCheckpoint(written, Map.of(), Set.of());
        }

        /** A scheduler, or a user, may name any card; schedulers know after a while that the node offers none. */
        private void bind() {
            if (running != null && running.dra && random.nextInt(4) > 0) {
                return;
            }
            boolean whole = random.nextInt(3) == 0;
            NodePod pod = TestPods.unannotated(
                    "p" + names, names, whole ? TestPods.cards("main", 1) : TestPods.memory("main", 3));
            names++;
            if (random.nextBoolean()) {
                CardId any = CARDS.cards().get(random.nextInt(3)).id();
                Share share = whole ? any.whole() : Share.memory(3);
                pod = TestPods.annotated(
                        pod,
                        new Allocation(
                                MemoryUnit.GIB,
                                List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(any, share)))));
            }
            update(pod);
        }

        private void update(NodePod pod) {
            pods.put(pod.ref().uid(), pod);
            if (running != null) {
                running.latest.update(snapshot -> snapshot.withPod(pod));
            }
        }

        /** The kubelet admits the pods that are bound; it rejects them where no plugin serves. */
        private void admit() {
            for (NodePod pod : List.copyOf(pods.values())) {
                if (pod.ended() || kubelet.allocations().containsKey(pod.ref())) {
                    continue;
                }
                try {
                    if (running == null || running.dra) {
                        throw new KubeletModel.Rejected(false, "no healthy devices present");
                    }
                    LatestSnapshot latest = running.latest;
                    kubelet.admit(
                            pod,
                            running.calls,
                            () -> DeviceLists.of(latest.now().allocations()));
                    unrecorded = random.nextInt(4) == 0 ? Set.of(pod.ref().uid()) : Set.of();
                    if (!unrecorded.isEmpty()) {
                        return;
                    }
                } catch (KubeletModel.Rejected _) {
                    kubelet.forget(pod.ref());
                    update(TestPods.ended(pod));
                }
            }
        }

        private void endPod() {
            List<NodePod> all = pods.values().stream()
                    .filter(pod -> kubelet.allocations().containsKey(pod.ref()))
                    .toList();
            if (!all.isEmpty()) {
                NodePod pod = all.get(random.nextInt(all.size()));
                kubelet.forget(pod.ref());
                update(TestPods.ended(pod));
            }
        }

        /** kube-scheduler, by what the slices say and what claims have. */
        private void allocate() {
            List<CardId> free = slices.stream()
                    .filter(card -> claims.values().stream()
                                    .filter(claim ->
                                            claim.results().getFirst().device().equals(name(card)))
                                    .count()
                            < 5)
                    .sorted()
                    .toList();
            if (!free.isEmpty()) {
                String name = "c" + names++;
                PodRef pod = new PodRef("uid-pod-" + name, "default", name);
                ResourceClaim.Result result = new ResourceClaim.Result(
                        "gpu",
                        "gpushare.io",
                        "n1",
                        name(free.get(random.nextInt(free.size()))),
                        false,
                        Map.of("memory", "3Gi"),
                        name);
                claims.put(
                        "uid-" + name,
                        new ResourceClaim("uid-" + name, "default", name, List.of(pod), List.of(result), List.of()));
            }
        }

        private static String name(CardId card) {
            return card.uuid().toLowerCase(Locale.ROOT);
        }

        /** The kubelet repeats its calls for all claims, also for those that are prepared: it may have restarted. */
        private void prepare() {
            if (running == null) {
                return;
            }
            for (ResourceClaim claim : claims.values()) {
                Prepared answer = running.claims.prepare(new PodRef(claim.uid(), "default", claim.name()), () -> false);
                if (answer instanceof Prepared.Ready) {
                    prepared.put(claim.uid(), card(claim.results().getFirst().device()));
                } else {
                    assertThat(prepared).as("a claim keeps its cards").doesNotContainKey(claim.uid());
                }
            }
        }

        private void endClaim() {
            if (running != null && !claims.isEmpty()) {
                List<String> all = List.copyOf(claims.keySet());
                String uid = all.get(random.nextInt(all.size()));
                assertThat(running.claims.unprepare(uid)).isEmpty();
                prepared.remove(uid);
                claims.remove(uid);
            }
        }

        Set<CardId> cardsOfPods() {
            return kubelet.allocations().values().stream()
                    .flatMap(containers -> containers.values().stream())
                    .flatMap(given -> given.sees().visibleCards().stream())
                    .collect(Collectors.toSet());
        }

        Set<CardId> cardsOfClaims() {
            return Set.copyOf(prepared.values());
        }

        /** The cards with devices that the kubelet could give to another pod. */
        Set<CardId> offeredToKubelet() {
            if (running == null || running.dra) {
                return Set.of();
            }
            Set<String> allocated = kubelet.allocatedIds();
            DeviceLists lists = DeviceLists.of(running.latest.now().allocations());
            return Stream.of(DeviceResource.MEMORY, DeviceResource.CARDS)
                    .flatMap(resource -> lists.list(resource).stream())
                    .filter(device -> device.healthy() && !allocated.contains(device.id()))
                    .map(Offered::id)
                    .map(id -> new CardId(id.replaceFirst("::.*", "")))
                    .collect(Collectors.toSet());
        }

        void check() {
            Set<CardId> ofPods = new HashSet<>(cardsOfPods());
            ofPods.addAll(offeredToKubelet());
            Set<CardId> ofClaims = new HashSet<>(cardsOfClaims());
            ofClaims.addAll(slices);
            ofPods.retainAll(ofClaims);
            assertThat(ofPods).as("given or offered in both ways").isEmpty();
            List<CardId> given = new ArrayList<>(prepared.values());
            CARDS.cards()
                    .forEach(card ->
                            assertThat(given.stream().filter(card.id()::equals)).hasSizeLessThan(6));
        }

        @Override
        public Optional<ResourceClaim> claim(String namespace, String name) {
            return Optional.ofNullable(claims.get("uid-" + name));
        }

        @Override
        public List<ClaimUse> uses(PodRef pod) {
            return List.of();
        }
    }
}
