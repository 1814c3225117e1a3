package io.gpushare.insight.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.insight.scaleup.ScaleUpSearch;
import io.gpushare.insight.scaleup.Together;
import io.gpushare.insight.view.ViewRevisions;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.request.ContainerResources;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * How long it takes to say why pods wait, in a full cluster of 5,000 nodes of 8 cards with 1,000 waiting pods.
 * BENCHMARKS.md has the command.
 */
class WhyBenchmark {
    private static final int NODES = 5000;
    private static final int CARDS = 8;
    private static final int GIB = 80;
    private static final int POOLS = 20;
    private static final int WAITING = 1000;
    private static final int RUNS = 5;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final Explainer explainer = new Explainer(
            ledger::state,
            placer,
            new PlacementOutcomes(() -> 0),
            new TestCluster(new Random(1), ledger),
            () -> TestCluster.NOW);
    private Instant now = TestCluster.NOW;

    @Test
    void whatIsSaidOfWaitingPods() {
        fill();
        for (int i = 0; i < WAITING; i++) {
            waits("waits-" + i, 41 + i % 39, Map.of("pool", "pool-" + i % POOLS), null);
        }
        measured("why of a pod with 60 units", () -> explainer.of(pod("aliyun.com/gpu-mem", 60), NodeRules.ANY));
        measured("why of a pod with 1 card", () -> explainer.of(pod("aliyun.com/gpu-count", 1), NodeRules.ANY));
        measured("why of a pod with 8 cards", () -> explainer.of(pod("aliyun.com/gpu-count", 8), NodeRules.ANY));
        PodDemand.Valid demand = TestCluster.demand(ledger, pod("aliyun.com/gpu-mem", 60));
        Together gang = new Together(Set.of(), Collections.nCopies(256, demand));
        measured(
                "new nodes for 256 pods",
                () -> new ScaleUpSearch(ledger.state(), placer).of(pod("aliyun.com/gpu-mem", 60), demand, gang));
        WaitAdvice advice = new WaitAdvice(ledger::state, () -> now);
        advice.due(now);
        measured("a round of Events", () -> {
            now = now.plus(Duration.ofMinutes(11));
            return advice.due(now);
        });
        measured("the list of waiting pods", () -> new ViewRevisions(ledger::state).since("", 0));
        for (int i = 0; i < WAITING; i++) {
            waits("member-" + i, 41, Map.of(), "gang");
        }
        measured("a round of Events, with a gang of 1,000", () -> {
            now = now.plus(Duration.ofMinutes(11));
            return advice.due(now);
        });
    }

    private interface Answer {
        Object get();
    }

    /** Processor time, which other programs on the machine lengthen too: they share its caches. */
    private static void measured(String what, Answer answer) {
        long longest = 0;
        long allocated = allocatedBytes();
        long began = THREADS.getCurrentThreadCpuTime();
        for (int run = 0; run < RUNS; run++) {
            long from = THREADS.getCurrentThreadCpuTime();
            assertThat(answer.get()).isNotNull();
            longest = Math.max(longest, THREADS.getCurrentThreadCpuTime() - from);
        }
        System.out.printf(
                Locale.ROOT,
                "%d nodes, %d waiting pods, %s: %d ms of processor time (longest of %d: %d ms), %d MiB allocated%n",
                NODES,
                WAITING,
                what,
                (THREADS.getCurrentThreadCpuTime() - began) / RUNS / 1_000_000,
                RUNS,
                longest / 1_000_000,
                ((allocatedBytes() - allocated) / RUNS) >> 20);
    }

    private static long allocatedBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Three pods on each card, which leave at most 10 units. */
    private void fill() {
        Random random = new Random(1);
        for (int n = 0; n < NODES; n++) {
            String node = "n" + n;
            Inventory inventory = new Inventory(
                    MemoryUnit.GIB,
                    null,
                    IntStream.range(0, CARDS)
                            .mapToObj(card -> Card.of("GPU-" + node + "-" + card, card, Memory.ofGib(GIB)))
                            .toList());
            ledger.updateNode(
                    node,
                    Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory)),
                    new HostResources(64_000, 1 << 18));
            ledger.updateFacts(new NodeFacts(node, Map.of("pool", "pool-" + n % POOLS), List.of()));
            for (int card = 0; card < CARDS; card++) {
                int left = GIB - random.nextInt(10);
                for (int i = 0; i < 3; i++) {
                    int units = i == 2 ? left : 10 + random.nextInt(15);
                    left -= units;
                    runs("p" + n + "-" + card + "-" + i, node, card, units, inventory);
                }
            }
        }
    }

    private void runs(String name, String node, int card, int units, Inventory inventory) {
        ledger.updatePod(PodBuilder.pod(new PodRef("uid-" + name, "lab", name))
                .on(node)
                .controller(new PodController("ReplicaSet", "web-6d4b75cb6d", "uid-set"))
                .annotations(AllocationCodec.annotations(
                        TestCluster.memory("GPU-" + node + "-" + card, units),
                        inventory,
                        node,
                        List.of(),
                        TestCluster.NOW))
                .requesting("aliyun.com/gpu-mem", units)
                .build());
    }

    private void waits(String name, int units, Map<String, String> selector, @Nullable String group) {
        ledger.updatePod(PodBuilder.pod(new PodRef("uid-" + name, "lab", name))
                .unschedulable(true)
                .accepting(new NodeRules(selector, null, List.of()))
                .group(group)
                .requesting("aliyun.com/gpu-mem", units)
                .build());
    }

    private static SchedulingPod pod(String resource, int amount) {
        return new SchedulingPod(new PodRef("uid-asked", "lab", "asked"), 0, Map.of(), requests(resource, amount));
    }

    private static List<ContainerResources> requests(String resource, int amount) {
        return List.of(new ContainerResources("main", ContainerRole.APP, Map.of(resource, String.valueOf(amount))));
    }
}
