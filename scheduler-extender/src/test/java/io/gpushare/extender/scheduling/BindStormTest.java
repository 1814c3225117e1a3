package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.LedgerHistoryTest;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Many binds at once, an API server that fails in every way, informers that lag: no card is ever allocated twice. */
class BindStormTest {
    private static final List<String> NODES = List.of("n1", "n2", "n3");

    @Property(tries = 200)
    void noCardIsOverCommittedAndTheLedgerConvergesToTheApi(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Ledger ledger = TestCluster.ledger();
        TestCluster world = new TestCluster(new Random(seed + 1), ledger);
        NODES.forEach(node -> world.node(node, TestCluster.cards(8, 8, 15)));
        world.showAll();
        world.failing = random.nextInt(40);
        Binder binder = new Binder(ledger, world);
        List<ClusterPod> pods = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            pods.add(world.create(
                    "p" + i,
                    random.nextInt(4) == 0
                            ? Map.of("aliyun.com/gpu-count", "1")
                            : Map.of("aliyun.com/gpu-mem", String.valueOf(1 + random.nextInt(6)))));
        }
        storm(world, random, schedulers(pods, random, ledger, binder));

        boolean landing = true;
        while (landing) {
            landing = world.landLate();
        }
        assertNothingOverCommitted(world);
        world.failing = 0;
        world.showAll();
        binder.resolveUnknown(TestCluster.LATER, TestCluster.LATER);
        assertThat(LedgerHistoryTest.cards(ledger)).isEqualTo(world.truth());
        assertThat(ledger.stats().holding(Holding.Standing.ASSUMED)).isZero();
        assertThat(ledger.stats().holding(Holding.Standing.DOUBTFUL)).isZero();
        assertThat(ledger.stats().unattributed()).isZero();
    }

    /** kube-scheduler tries each pod several times, twice at once now and then, on nodes that filter found feasible. */
    private static List<Callable<Void>> schedulers(List<ClusterPod> pods, Random random, Ledger ledger, Binder binder) {
        NodeSelection choice = new NodeSelection(ledger, false);
        List<Callable<Void>> schedulers = new ArrayList<>();
        for (ClusterPod pod : pods) {
            long own = random.nextLong();
            schedulers.add(() -> {
                Random mine = new Random(own);
                for (int attempt = 0; attempt < 4; attempt++) {
                    List<String> feasible = choice.filter(
                                    new SchedulingPod(pod.ref(), Map.of(), pod.containers()), choice.named(NODES))
                            .feasible(NODES);
                    if (!feasible.isEmpty()) {
                        binder.bind(pod.ref(), feasible.get(mine.nextInt(feasible.size())), TestCluster.NOW);
                    }
                }
                return null;
            });
            if (random.nextInt(5) == 0) {
                schedulers.add(schedulers.getLast());
            }
        }
        return schedulers;
    }

    private static void storm(TestCluster world, Random random, List<Callable<Void>> schedulers) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                ExecutorService informer = Executors.newSingleThreadExecutor()) {
            Future<?> informers = informer.submit(() -> {
                Random mine = new Random(random.nextLong());
                while (!over.get()) {
                    switch (mine.nextInt(6)) {
                        case 0 -> world.landLate();
                        case 1 -> world.relist();
                        default -> world.showPod();
                    }
                }
            });
            for (Future<Void> done : threads.invokeAll(schedulers)) {
                done.get();
            }
            over.set(true);
            informers.get();
        }
    }

    private static void assertNothingOverCommitted(TestCluster world) {
        for (Map.Entry<String, NodeCards> node : world.truth().entrySet()) {
            assertThat(node.getValue().cards()).as(node.getKey()).noneMatch(CardState::overCommitted);
        }
    }
}
