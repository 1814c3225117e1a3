package io.gpushare.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import io.gpushare.simulation.trace.ArrivalOrder;
import io.gpushare.simulation.trace.GpuWork;
import io.gpushare.simulation.trace.TraceNodes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The clusters that users try first: with the default policy nothing is refused that fits. */
class SmallClustersTest {
    private static final PolicyKind DEFAULT = PolicyKind.ADAPTIVE;
    private static final PodRequest SHARE = new PodRequest(500, 1024, 3, 0, Set.of());
    private static final PodRequest WHOLE = new PodRequest(1000, 4096, 0, 1, Set.of());

    @Test
    void wholeCardsStayFreeWhileOnlySharesHaveCome() {
        List<PodRequest> pods = new ArrayList<>(Collections.nCopies(80, SHARE));
        pods.addAll(Collections.nCopies(20, WHOLE));
        assertThat(refused(nodes(10, 8), pods)).isZero();
    }

    @Test
    void sharesFillTheCardsOfNodesWithOneCard() {
        List<KnownNode> nodes = nodes(80, 1);
        GpuWork work = GpuWork.of(KnownNode.capacity(nodes));
        List<PodRequest> list = new ArrayList<>(Collections.nCopies(200, SHARE));
        list.addAll(Collections.nCopies(40, WHOLE));
        for (long seed = 42; seed < 52; seed++) {
            List<PodRequest> pods = ArrivalOrder.of(new ArrivalOrder.Shuffled(75), list, work, seed);
            assertThat(refused(nodes, pods)).as("seed %d", seed).isZero();
        }
    }

    // Reviews that did not know the cluster's cards yet chose a policy that left a job of eight cards without a node.
    @Test
    void jobsOfEightCardsFitWhereSharesAndSmallerJobsCameBefore() {
        List<CardKind> cards = Collections.nCopies(8, new CardKind("A100", 80));
        List<KnownNode> nodes = IntStream.rangeClosed(1, 12)
                .mapToObj(i -> TraceNodes.node("a100-" + i, 0, new HostResources(96_000, 1_048_576), cards))
                .toList();
        List<PodRequest> list = new ArrayList<>(Collections.nCopies(35, pod(5, 0)));
        list.addAll(Collections.nCopies(45, pod(12, 0)));
        list.addAll(Collections.nCopies(2, pod(0, 8)));
        list.addAll(Collections.nCopies(2, pod(0, 2)));
        list.addAll(Collections.nCopies(7, pod(0, 4)));
        GpuWork work = GpuWork.of(KnownNode.capacity(nodes));
        for (long seed = 42; seed < 46; seed++) {
            List<PodRequest> pods = ArrivalOrder.of(new ArrivalOrder.Shuffled(90), list, work, seed);
            assertThat(refused(nodes, pods, seed)).as("seed %d", seed).isZero();
        }
    }

    @Test
    void instancesStayFreeWhileOnlyMemoryPodsHaveCome() {
        CardKind large = CardKind.instance("H100 MIG 3g.40gb", 40);
        CardKind small = CardKind.instance("H100 MIG 1g.10gb", 10);
        List<CardKind> cards = List.of(new CardKind("H100", 80), large, small, small);
        List<KnownNode> nodes = IntStream.range(0, 4)
                .mapToObj(i -> TraceNodes.node("node-" + i, 0, new HostResources(64_000, 524_288), cards))
                .toList();
        List<PodRequest> pods = new ArrayList<>(Collections.nCopies(12, new PodRequest(500, 1024, 6, 0, Set.of())));
        pods.addAll(Collections.nCopies(6, instance(small)));
        pods.addAll(Collections.nCopies(3, instance(large)));
        pods.addAll(Collections.nCopies(3, WHOLE));
        assertThat(refused(nodes, pods)).isZero();
    }

    private static PodRequest pod(int units, int cards) {
        return new PodRequest(1000 + 1000L * cards, 0, units, cards, Set.of());
    }

    private static PodRequest instance(CardKind kind) {
        return new PodRequest(500, 2048, Share.INSTANCE.withUnits(kind.units()), 0, Set.of(kind.model()));
    }

    private static int refused(List<KnownNode> nodes, List<PodRequest> pods) {
        return refused(nodes, pods, 42);
    }

    private static int refused(List<KnownNode> nodes, List<PodRequest> pods, long salt) {
        GpuWork work = GpuWork.of(KnownNode.capacity(nodes));
        return new Replay(work, () -> 0)
                .run(pods, new ExtenderPlacer(nodes, DEFAULT, salt))
                .refused();
    }

    private static List<KnownNode> nodes(int count, int cards) {
        List<CardKind> kinds = Collections.nCopies(cards, new CardKind("A10", 24));
        List<KnownNode> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(TraceNodes.node("node-" + i, 0, new HostResources(64_000, 262_144), kinds));
        }
        return nodes;
    }
}
