package io.gpushare.extender.scheduling;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A simulated API server in memory, with informers that lag. The events of each resource are in order, from one list
 * and a watch with gaps, as in Kubernetes' informers. Bindings may fail before, after, or long after they take effect.
 */
public final class TestCluster implements PodApi {
    public static Placer placer() {
        return placer(AnnotationObserver.none());
    }

    /** A placer whose ledger notifies that observer. */
    public static Placer placer(AnnotationObserver observer) {
        return new Placer(new Ledger(DEMANDS, observer), new Policies(PolicyKind.WSP));
    }

    /** Decodes a pod that is known to be valid. */
    public static PodDemand.Valid demand(Ledger ledger, SchedulingPod pod) {
        return (PodDemand.Valid) ledger.demand(pod);
    }

    /** The resource of cores. */
    public static final String CORES = "aliyun.com/gpu-core.percentage";

    public static final DemandCodec DEMANDS =
            new DemandCodec(ResourceNames.DEFAULT.with(ShareKind.CORES, CORES).withHami());
    public static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
    static final Instant LATER = NOW.plusSeconds(600);

    private final Random random;
    private final Ledger ledger;
    private final Map<String, PodState> pods = new LinkedHashMap<>(); // by namespace/name
    private final Map<String, Map<String, String>> nodes = new LinkedHashMap<>();
    private final Queue<Runnable> podEvents = new ArrayDeque<>();
    private final Queue<Runnable> nodeEvents = new ArrayDeque<>();
    private final Map<String, PodState> podsShown = new HashMap<>();
    private final List<Runnable> late = new ArrayList<>();
    private int uids;
    /** How many of a hundred calls fail. */
    int failing;

    public TestCluster(Random random, Ledger ledger) {
        this.random = random;
        this.ledger = ledger;
    }

    // ---- changes of the cluster

    public synchronized PodState create(String name, Map<String, String> quantities) {
        uids++;
        PodState pod = PodBuilder.pod(new PodRef("uid-" + uids, "default", name))
                .requesting(quantities)
                .build();
        put(pod);
        return pod;
    }

    public synchronized void put(PodState pod) {
        PodState before = pods.put(pod.ref().toString(), pod);
        if (before != null && !before.ref().uid().equals(pod.ref().uid())) {
            podEvents.add(() -> showGone(before));
        }
        podEvents.add(() -> show(pod));
    }

    public synchronized void end(String name) {
        @Nullable PodState pod = pods.get("default/" + name);
        if (pod != null) {
            put(PodBuilder.pod(pod.ref())
                    .on(pod.node())
                    .ended(true)
                    .annotations(pod.annotations())
                    .containers(pod.containers())
                    .build());
        }
    }

    public synchronized void delete(String name) {
        @Nullable PodState pod = pods.remove("default/" + name);
        if (pod != null) {
            podEvents.add(() -> showGone(pod));
        }
    }

    public synchronized void node(String name, @Nullable Inventory inventory) {
        Map<String, String> annotations =
                inventory == null ? Map.of() : Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory));
        nodes.put(name, annotations);
        nodeEvents.add(() -> ledger.updateNode(name, annotations, HostResources.NONE));
    }

    public synchronized void nodeGone(String name) {
        nodes.remove(name);
        nodeEvents.add(() -> ledger.removeNode(name));
    }

    /** What a container requests in HAMi's words: at most that much of each of one or two cards, or whole cards. */
    public static Map<String, String> inHamisWords(Random random, int gib) {
        String cards = String.valueOf(1 + random.nextInt(2));
        String cores = String.valueOf(random.nextInt(2) * random.nextInt(70));
        return switch (random.nextInt(3)) {
            case 0 -> Map.of("nvidia.com/gpu", cards);
            case 1 ->
                Map.of(
                        "nvidia.com/gpu",
                        cards,
                        "nvidia.com/gpumem-percentage",
                        String.valueOf(1 + random.nextInt(60)),
                        "nvidia.com/gpucores",
                        cores);
            default ->
                Map.of(
                        "nvidia.com/gpu",
                        cards,
                        "nvidia.com/gpumem",
                        String.valueOf(1 + random.nextInt(gib * 1024)),
                        "nvidia.com/gpucores",
                        cores);
        };
    }

    public static Inventory cards(int... gib) {
        List<Card> cards = new ArrayList<>();
        for (int i = 0; i < gib.length; i++) {
            cards.add(Card.of("GPU-" + i, i, Memory.ofGib(gib[i])));
        }
        return new Inventory(MemoryUnit.GIB, null, cards);
    }

    /** Adds five nodes of one to four cards of 16 or 48 GiB, changed by the operator, and returns their names. */
    public static List<String> cluster(Random random, Ledger ledger, UnaryOperator<Card> change) {
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            List<Card> cards = new ArrayList<>();
            for (int card = 0; card < 1 + random.nextInt(4); card++) {
                Memory memory = Memory.ofGib(random.nextBoolean() ? 16 : 48);
                cards.add(change.apply(Card.of("GPU-" + i + "-" + card, card, memory)));
            }
            String inventory = InventoryCodec.encode(
                    new Inventory(MemoryUnit.GIB, null, cards).withBeside(Share.slots(2 * random.nextInt(3))));
            ledger.updateNode("n" + i, Map.of("gpushare.io/inventory", inventory), new HostResources(64_000, 1 << 18));
            nodes.add("n" + i);
        }
        return nodes;
    }

    // ---- the informers, one thread each

    private void show(PodState pod) {
        podsShown.put(pod.ref().toString(), pod);
        ledger.updatePod(pod);
    }

    private void showGone(PodState pod) {
        podsShown.remove(pod.ref().toString());
        ledger.removePod(pod.ref());
    }

    /** Shows the next pod event; false if there is none. */
    public boolean showPod() {
        return shown(podEvents);
    }

    public boolean showNode() {
        return shown(nodeEvents);
    }

    private boolean shown(Queue<Runnable> events) {
        @Nullable Runnable event;
        synchronized (this) {
            event = events.poll();
        }
        if (event != null) {
            event.run();
        }
        return event != null;
    }

    /** The watch breaks: events are lost, and a list follows. It shows a recreated pod as a change only. */
    public synchronized void relist() {
        podEvents.clear();
        Set<String> names = new HashSet<>(podsShown.keySet());
        names.removeAll(pods.keySet());
        for (String name : names) {
            PodState last = podsShown.get(name);
            if (last != null) {
                podEvents.add(() -> showGone(last));
            }
        }
        pods.values().forEach(pod -> podEvents.add(() -> show(pod)));
    }

    public void showAll() {
        boolean more = true;
        while (more) {
            more = showPod();
            more = showNode() || more;
        }
    }

    // ---- the API

    @Override
    public synchronized Optional<PodState> pod(String namespace, String name) throws Failure {
        fail(failing);
        return Optional.ofNullable(pods.get(namespace + "/" + name));
    }

    @Override
    public synchronized void bind(PodRef pod, String node, Map<String, String> annotations) throws Failure {
        fail(failing / 2);
        if (random.nextInt(100) < failing / 2) {
            late.add(() -> tryBinding(pod, node, annotations));
            throw failure(Failure.Reach.UNANSWERED, 0);
        }
        int status = tryBinding(pod, node, annotations);
        if (status != 201) {
            throw failure(Failure.Reach.ANSWERED, status);
        }
        fail(failing / 2);
    }

    private int tryBinding(PodRef ref, String node, Map<String, String> annotations) {
        @Nullable PodState pod = pods.get(ref.toString());
        if (pod == null) {
            return 404;
        }
        if (pod.node() != null || !pod.ref().uid().equals(ref.uid())) {
            return 409;
        }
        Map<String, String> merged = new HashMap<>(pod.annotations());
        merged.putAll(annotations);
        put(PodBuilder.pod(ref)
                .on(node)
                .ended(pod.ended())
                .annotations(merged)
                .containers(pod.containers())
                .build());
        return 201;
    }

    /** Executes a Binding that got no response, if that is still possible. */
    synchronized boolean executeLate() {
        if (late.isEmpty()) {
            return false;
        }
        late.remove(random.nextInt(late.size())).run();
        return true;
    }

    private void fail(int percent) throws Failure {
        if (random.nextInt(100) < percent) {
            boolean response = random.nextBoolean();
            throw failure(response ? Failure.Reach.ANSWERED : Failure.Reach.UNANSWERED, response ? 500 : 0);
        }
    }

    static Failure failure(Failure.Reach reach, int status) {
        return new Failure(reach, status, "simulated " + reach + " " + status, new IllegalStateException());
    }

    // ---- the actual state

    public synchronized List<PodState> pods() {
        return List.copyOf(pods.values());
    }

    /** The state of the ledger after all events. */
    public synchronized Map<String, NodeCards> truth() {
        Map<String, NodeCards> truth = new HashMap<>();
        nodes.forEach((name, annotations) -> truth.put(
                name,
                NodeCards.of(InventoryCodec.decode(annotations).valid().orElse(Inventory.empty(MemoryUnit.GIB)))));
        for (PodState pod : pods.values()) {
            Optional<Demand> demand = DEMANDS.decode(pod.containers(), Map.of()).valid();
            @Nullable String node = pod.node();
            Optional<Allocation> held = demand.flatMap(requested -> AllocationCodec.decode(pod.annotations())
                    .valid()
                    .map(written -> written.withoutExcessPercents(requested))
                    .filter(written -> written.gives(requested)));
            if (node != null && !pod.ended() && held.isPresent()) {
                truth.merge(
                        node,
                        NodeCards.of(Inventory.empty(MemoryUnit.GIB)).with(pod.ref(), held.get()),
                        (known, alone) -> known.with(pod.ref(), held.get()));
            }
        }
        return truth;
    }

    public static Allocation memory(String card, int units) {
        return sharing(card, Share.memory(units));
    }

    /** That share of that card for the container {@code main}. */
    public static Allocation sharing(String card, Share share) {
        return new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(new CardId(card), share))));
    }
}
