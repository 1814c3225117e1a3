package io.gpushare.extender.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.Placement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The answers on random small clusters, made real in the ledger. */
class ClusterSearchTest {
    private static final int GIB = 16;
    private static final List<String> NODES = List.of("a", "b");
    private static final int PRIORITY = 2;

    private record Pod(String node, int card, int units, int priority, boolean moves) {}

    @Property(tries = 300)
    void evictionsMakeThePodFit(@ForAll long seed, @ForAll @IntRange(min = 1, max = GIB) int units) {
        RunningPods cluster = cluster();
        Map<String, Pod> pods = fill(cluster, new Random(seed));
        PodEntry waits = cluster.waits("waits", "aliyun.com/gpu-mem", units, PRIORITY);
        switch (new ClusterSearch(cluster.placer, Question.eviction(waits, _ -> true, Set.of("uid-p0"))).plan()) {
            case Plan.NotNeeded(String node) ->
                assertThat(fits(cluster, node, waits)).isTrue();
            case Plan.NotPossible _ -> {
                pods.forEach((name, pod) -> {
                    if (!name.equals("p0") && pod.priority() < PRIORITY) {
                        cluster.ends(name);
                    }
                });
                assertThat(NODES).noneMatch(node -> fits(cluster, node, waits));
            }
            case Plan.Leave(List<Departure> departures) -> {
                Departure departure = departures.getFirst();
                assertThat(departure.pods()).isNotEmpty().allSatisfy(pod -> {
                    assertThat(pod.node()).isEqualTo(departure.node());
                    assertThat(pod.priority().value()).isLessThan(PRIORITY);
                    assertThat(pod.ref().name()).isNotEqualTo("p0");
                });
                assertThat(NODES).noneMatch(node -> fits(cluster, node, waits));
                departure.pods().forEach(pod -> cluster.ends(pod.ref().name()));
                assertThat(fits(cluster, departure.node(), waits)).isTrue();
            }
        }
    }

    @Property(tries = 300)
    void movesMakeThePodFitAndEachFitsItself(@ForAll long seed, @ForAll @IntRange(min = 1, max = GIB) int units) {
        RunningPods cluster = cluster();
        Map<String, Pod> pods = fill(cluster, new Random(seed));
        PodEntry waits = cluster.waits("waits", "aliyun.com/gpu-mem", units, PRIORITY);
        if (new ClusterSearch(cluster.placer, Question.moves(waits, _ -> true, PodKnowledge.NONE, 4)).plan()
                instanceof Plan.Leave(List<Departure> departures)) {
            Departure departure = departures.getFirst();
            assertThat(departure.moves()).hasSizeBetween(1, 4).hasSameSizeAs(departure.pods());
            for (Move move : departure.moves()) {
                String name = move.pod().name();
                Pod pod = Objects.requireNonNull(pods.get(name));
                assertThat(pod.moves()).isTrue();
                assertThat(move.cards()).hasSize(1).doesNotContainAnyElementsOf(departure.cards());
                cluster.ends(name);
                CardId card = move.cards().iterator().next();
                cluster.runs(
                        name + "-again",
                        move.to(),
                        Integer.parseInt(card.uuid().substring(card.uuid().length() - 1)),
                        pod.units());
            }
            assertThat(NODES)
                    .allSatisfy(node ->
                            assertThat(entry(cluster, node).cards().cards()).noneMatch(CardState::overCommitted));
            assertThat(fits(cluster, departure.node(), waits)).isTrue();
        }
    }

    private static RunningPods cluster() {
        return new RunningPods().node("a", GIB, GIB).node("b", GIB, GIB);
    }

    private static Map<String, Pod> fill(RunningPods cluster, Random random) {
        Map<String, Pod> pods = new HashMap<>();
        int[] left = {GIB, GIB, GIB, GIB};
        for (int i = 0; i < 12; i++) {
            int card = random.nextInt(left.length);
            Pod pod = new Pod(
                    NODES.get(card / 2),
                    card % 2,
                    1 + random.nextInt(10),
                    random.nextInt(PRIORITY + 1),
                    random.nextInt(4) > 0);
            if (pod.units() <= left[card]) {
                left[card] -= pod.units();
                pods.put("p" + i, pod);
                cluster.runs(
                        "p" + i,
                        pod.node(),
                        pod.card(),
                        pod.units(),
                        pod.moves() ? "ReplicaSet" : "DaemonSet",
                        pod.priority());
            }
        }
        return pods;
    }

    private static NodeEntry entry(RunningPods cluster, String node) {
        return Objects.requireNonNull(cluster.ledger.nodeEntries().get(node));
    }

    private static boolean fits(RunningPods cluster, String node, PodEntry pod) {
        return entry(cluster, node).cards().place(pod.demand()) instanceof Placement.Placed;
    }
}
