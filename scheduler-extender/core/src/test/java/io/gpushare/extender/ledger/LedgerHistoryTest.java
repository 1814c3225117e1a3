package io.gpushare.extender.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.pod.PodState;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** After any history, shown with any delay, the ledger equals the cluster once every event has arrived. */
public class LedgerHistoryTest {
    private static final int STEPS = 60;
    private static final String[] PODS = {"a", "b", "c", "d"};
    private static final String[] NODES = {"n1", "n2", "n3"};

    /** As many events as the build requests: ten thousand, or a million with -Pnightly. */
    @Test
    void theLedgerEqualsTheClusterAfterManyEvents() {
        int total = Integer.getInteger("gpushare.events", 10_000);
        long seed = System.nanoTime();
        int events = 0;
        int histories = 0;
        while (events < total) {
            theLedgerEqualsTheClusterAfterAnyHistory(seed + histories);
            histories++;
            events += STEPS;
        }
        System.out.printf(
                "ledger: %d events in %d histories, seeds from %d, 0 differences to the cluster%n",
                events, histories, seed);
        assertThat(events).isGreaterThanOrEqualTo(total);
    }

    @Property(tries = 200)
    void theLedgerEqualsTheClusterAfterAnyHistory(@ForAll long seed) {
        Random random = new Random(seed);
        Placer placer = TestCluster.placer();
        Ledger ledger = placer.ledger();
        TestCluster world = new TestCluster(random, ledger);
        Set<String> edited = new HashSet<>();
        for (int step = 0; step < STEPS; step++) {
            happen(world, random, edited);
            if (random.nextInt(20) == 0) {
                world.relist();
            }
            for (int events = random.nextInt(3); events > 0; events--) {
                if (random.nextBoolean()) {
                    world.showPod();
                } else {
                    world.showNode();
                }
            }
        }
        world.showAll();
        assertThat(without(edited, cards(ledger))).isEqualTo(without(edited, world.truth()));
        // Of a changed annotation the ledger cannot know which version is true: it holds the present one at least.
        world.truth()
                .forEach((node, cards) -> cards.holdings().stream()
                        .filter(holding -> edited.contains(holding.holder().uid()))
                        .forEach(holding -> assertThat(held(ledger, node, holding.holder()))
                                .containsAll(holding.allocation().cards())));
        world.pods().forEach(pod -> world.delete(pod.ref().name()));
        world.relist();
        world.showAll();
        assertThat(ledger.state().nodes())
                .allMatch(node -> node.cards().holdings().isEmpty());
        assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isZero();
        assertThat(ledger.unconfirmedSince(Instant.MAX)).isEmpty();
    }

    private static Map<String, NodeCards> without(Set<String> holders, Map<String, NodeCards> nodes) {
        Map<String, NodeCards> left = new HashMap<>(nodes);
        left.replaceAll((node, cards) -> {
            NodeCards others = cards;
            for (String holder : holders) {
                others = others.without(holder);
            }
            return others;
        });
        return left;
    }

    private static Set<CardId> held(Ledger ledger, String node, PodRef holder) {
        return Objects.requireNonNull(cards(ledger).get(node)).holdings().stream()
                .filter(holding -> holding.holder().equals(holder))
                .flatMap(holding -> holding.allocation().cards().stream())
                .collect(Collectors.toSet());
    }

    private static void happen(TestCluster world, Random random, Set<String> edited) {
        String pod = PODS[random.nextInt(PODS.length)];
        String node = NODES[random.nextInt(NODES.length)];
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                world.delete(pod);
                world.create(
                        pod,
                        random.nextInt(3) == 0
                                ? TestCluster.inHamisWords(random, 5)
                                : Map.of(
                                        "aliyun.com/gpu-mem",
                                        String.valueOf(1 + random.nextInt(5)),
                                        TestCluster.CORES,
                                        String.valueOf(random.nextInt(2) * random.nextInt(101))));
            }
            case 2, 3 -> boundByAnother(world, random, pod, node);
            case 4 -> world.end(pod);
            case 5 -> world.delete(pod);
            case 6 -> world.node(node, random.nextInt(4) == 0 ? null : cards(random));
            case 7 -> edited(world, random, pod, edited);
            default -> world.nodeGone(node);
        }
    }

    private static Inventory cards(Random random) {
        Inventory cards = TestCluster.cards(15, 15 + random.nextInt(3))
                .withBeside(
                        (random.nextInt(4) > 0 ? Share.ALL_CORES : Share.NONE).plus(Share.slots(random.nextInt(4))));
        return random.nextInt(4) == 0
                ? cards
                : cards.withIsolation(cards.cards().stream()
                        .collect(Collectors.toMap(Card::id, _ -> CardIsolation.of(Isolation.MPS))));
    }

    /** Bound with an allocation that may not fit, may not match the demand, or may be missing. */
    private static void boundByAnother(TestCluster world, Random random, String name, String node) {
        world.pods().stream()
                .filter(pod -> pod.ref().name().equals(name) && pod.node() == null)
                .findFirst()
                .ifPresent(pod -> {
                    Share requested = TestCluster.DEMANDS
                            .decode(pod.containers(), Map.of())
                            .valid()
                            .orElseThrow()
                            .total()
                            .on(Share.memory(15));
                    Share other = requested.wholeCards() > 0
                            ? Share.slots(1)
                            : random.nextBoolean() ? Share.memory(1) : Share.cores(1);
                    Allocation written = TestCluster.sharing(
                            "GPU-" + random.nextInt(3), random.nextInt(8) == 0 ? requested.plus(other) : requested);
                    Map<String, String> annotations = switch (random.nextInt(8)) {
                        case 0 -> Map.of();
                        case 1 -> Map.of("gpushare.io/allocation", "{nonsense");
                        default -> Map.of("gpushare.io/allocation", AllocationCodec.encode(written));
                    };
                    world.put(PodBuilder.pod(pod.ref())
                            .on(node)
                            .ended(pod.ended())
                            .annotations(annotations)
                            .containers(pod.containers())
                            .build());
                });
    }

    /** A tenant edits the allocation that was written at the bind, or the device plugin corrects it. */
    private static void edited(TestCluster world, Random random, String name, Set<String> edited) {
        for (PodState pod : world.pods()) {
            if (pod.ref().name().equals(name)
                    && AllocationCodec.decode(pod.annotations()) instanceof Decoded.Valid<Allocation>(Allocation old)) {
                edited.add(pod.ref().uid());
                Allocation changed = TestCluster.sharing(
                        "GPU-" + random.nextInt(3), old.containers().getFirst().total());
                world.put(PodBuilder.pod(pod.ref())
                        .on(pod.node())
                        .ended(pod.ended())
                        .annotations(Map.of("gpushare.io/allocation", AllocationCodec.encode(changed)))
                        .containers(pod.containers())
                        .build());
            }
        }
    }

    public static Map<String, NodeCards> cards(Ledger ledger) {
        Map<String, NodeCards> cards = new HashMap<>();
        List<ClusterState.NodeView> nodes = ledger.state().nodes();
        nodes.forEach(node -> cards.put(node.name(), node.cards()));
        return cards;
    }
}
