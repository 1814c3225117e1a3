package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.ledger.LedgerHistoryTest;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.pod.PodState;
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

/** Concurrent binds with API failures and lagging informers never allocate a card twice. */
class BindStormTest {
    private static final List<String> NODES = List.of("n1", "n2", "n3");

    @Property(tries = 100)
    void noCardIsOverCommittedAndTheLedgerConvergesToTheApi(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Placer placer = TestCluster.placer();
        Ledger ledger = placer.ledger();
        TestCluster cluster = new TestCluster(new Random(seed + 1), ledger);
        NODES.forEach(node ->
                cluster.node(node, TestCluster.cards(8, 8, 15).withBeside(Share.ALL_CORES.plus(Share.slots(3)))));
        cluster.showAll();
        cluster.failing = random.nextInt(40);
        Binder binder = new Binder(placer, cluster, new PlacementOutcomes(() -> 0), () -> TestCluster.NOW);
        List<PodState> pods = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            pods.add(cluster.create(
                    "p" + i,
                    random.nextInt(3) == 0
                            ? TestCluster.inHamisWords(random, 6)
                            : random.nextInt(4) == 0
                                    ? Map.of("aliyun.com/gpu-count", "1")
                                    : Map.of("aliyun.com/gpu-mem", String.valueOf(1 + random.nextInt(6)))));
        }
        storm(cluster, random, schedulers(pods, random, placer, binder));

        boolean pending = true;
        while (pending) {
            pending = cluster.executeLate();
        }
        assertNothingOverCommitted(cluster);
        cluster.failing = 0;
        cluster.showAll();
        binder.resolveUnknown(TestCluster.LATER, TestCluster.LATER);
        assertThat(LedgerHistoryTest.cards(ledger)).isEqualTo(cluster.truth());
        assertThat(LedgerCounts.of(placer.ledger()).holding(Holding.Standing.ASSUMED))
                .isZero();
        assertThat(LedgerCounts.of(placer.ledger()).holding(Holding.Standing.DOUBTFUL))
                .isZero();
        assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isZero();
    }

    /** kube-scheduler tries each pod several times, some twice concurrently, on nodes that filter returned. */
    private static List<Callable<Void>> schedulers(List<PodState> pods, Random random, Placer placer, Binder binder) {
        NodeSelection selection = new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.PRIORITIZE);
        List<Callable<Void>> schedulers = new ArrayList<>();
        for (PodState pod : pods) {
            long ownSeed = random.nextLong();
            schedulers.add(() -> {
                Random mine = new Random(ownSeed);
                for (int attempt = 0; attempt < 4; attempt++) {
                    List<String> feasible = selection
                            .filter(new SchedulingPod(pod.ref(), Map.of(), pod.containers()), NODES)
                            .feasible();
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

    private static void storm(TestCluster cluster, Random random, List<Callable<Void>> schedulers) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                ExecutorService informer = Executors.newSingleThreadExecutor()) {
            Future<?> informers = informer.submit(() -> {
                Random mine = new Random(random.nextLong());
                while (!done.get()) {
                    switch (mine.nextInt(6)) {
                        case 0 -> cluster.executeLate();
                        case 1 -> cluster.relist();
                        default -> cluster.showPod();
                    }
                }
            });
            for (Future<Void> scheduler : threads.invokeAll(schedulers)) {
                scheduler.get();
            }
            done.set(true);
            informers.get();
        }
    }

    private static void assertNothingOverCommitted(TestCluster cluster) {
        assertThat(cluster.truth().values()).anyMatch(node -> !node.holdings().isEmpty());
        for (Map.Entry<String, NodeCards> node : cluster.truth().entrySet()) {
            assertThat(node.getValue().cards()).as(node.getKey()).noneMatch(CardState::overCommitted);
        }
    }
}
