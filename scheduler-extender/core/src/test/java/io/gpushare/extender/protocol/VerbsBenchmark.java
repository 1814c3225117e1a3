package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The parts of filter and prioritize by the number of nodes, with 8 cards each and 4 pods on each card. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
public class VerbsBenchmark {
    private static final int CARDS = 8;
    private static final int PODS = 4;

    @Param({"100", "1000", "5000"})
    public int nodes;

    /** KiB of other memory that are written between two calls, so that caches are cold. */
    @Param({"0", "4096"})
    public int otherKib;

    /** The value of the option --decide-in. */
    @Param({"filter", "prioritize"})
    public String decideIn = "filter";

    private long[] other;
    private NodeSelection selection;
    private Ledger ledger;
    private byte[] body;
    private ExtenderArgs args;
    private FilterResult result;
    private int turn;

    @Setup
    public void fill() throws BadRequestException {
        other = new long[otherKib << 7];
        DemandCodec demands = new DemandCodec(ResourceNames.DEFAULT);
        Placer placer = new Placer(new Ledger(demands, AnnotationObserver.none()), new Policies(PolicyKind.WSP));
        ledger = placer.ledger();
        selection = new NodeSelection(
                placer, new PlacementOutcomes(() -> 0), DecideIn.valueOf(decideIn.toUpperCase(Locale.ROOT)));
        for (int node = 0; node < nodes; node++) {
            node(node);
        }
        List<String> inOrder =
                IntStream.range(0, nodes).mapToObj(VerbsBenchmark::name).toList();
        String names = WorkersOrder.of(inOrder, new Random(20261122)).stream()
                .map(name -> "\"" + name + "\"")
                .collect(Collectors.joining(","));
        String json =
                "{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u\"},\"spec\":{\"containers\":"
                    + "[{\"name\":\"main\",\"resources\":{\"requests\":{\"cpu\":\"1\",\"aliyun.com/gpu-mem\":\"3\"},"
                    + "\"limits\":{\"aliyun.com/gpu-mem\":\"3\"}}}]}},\"Nodes\":null,\"NodeNames\":["
                        + names + "]}";
        body = json.getBytes(StandardCharsets.UTF_8);
        args = ExtenderArgs.read(body);
        result = selection.filter(args.pod(), args.names());
    }

    @Setup(Level.Invocation)
    public void otherMemory() {
        for (int i = 0; i < other.length; i += 8) {
            other[i]++;
        }
    }

    private static String name(int node) {
        return "gpu-node-%05d.example.internal".formatted(node);
    }

    private void node(int node) {
        List<Card> cards = new ArrayList<>();
        for (int card = 0; card < CARDS; card++) {
            cards.add(Card.of("GPU-" + node + "-" + card, card, Memory.ofGib(40)));
        }
        Inventory inventory = new Inventory(MemoryUnit.GIB, null, cards);
        ledger.updateNode(
                name(node),
                Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(inventory)),
                new HostResources(128_000, 1 << 20));
        for (int pod = 0; pod < CARDS * PODS; pod++) {
            seen(node, "used-" + node + "-" + pod, new CardId("GPU-" + node + "-" + pod / PODS), inventory);
        }
    }

    /** On every tenth node nothing is free, as in the load run. */
    private void seen(int node, String pod, CardId card, Inventory inventory) {
        int units = node % 10 == 0 ? 10 : 8;
        Allocation allocation = new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(card, Share.memory(units)))));
        ledger.updatePod(PodBuilder.pod(new PodRef(pod, "default", pod))
                .on(name(node))
                .annotations(AllocationCodec.annotations(allocation, inventory, "n1", List.of(), Instant.EPOCH))
                .requesting(Map.of("cpu", "2", "aliyun.com/gpu-mem", String.valueOf(units)))
                .build());
    }

    /** Reads the body. */
    @Benchmark
    public Object read() throws BadRequestException {
        return ExtenderArgs.read(body);
    }

    /** Decides which nodes fit. */
    @Benchmark
    public Object filter() {
        return selection.filter(args.pod(), args.names());
    }

    /** Scores nodes for a pod of a recent kind. */
    @Benchmark
    public Object prioritize() {
        return selection.prioritize(args.pod(), args.names());
    }

    /** Scores nodes for a pod of another size each time, of more kinds than are remembered. */
    @Benchmark
    public Object prioritizeAnew() {
        turn = turn % 64 + 1;
        SchedulingPod pod = new SchedulingPod(
                args.pod().ref(),
                Map.of(),
                List.of(new ContainerResources(
                        "main",
                        ContainerRole.APP,
                        Map.of("cpu", turn + "m", "aliyun.com/gpu-mem", String.valueOf(turn % 8 + 1)))));
        return selection.prioritize(pod, args.names());
    }

    /** Writes the response. */
    @Benchmark
    public Object write() {
        return FilterResponse.of(args, result);
    }
}
