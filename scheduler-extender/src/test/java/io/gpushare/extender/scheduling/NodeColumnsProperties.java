package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.placement.Ask;
import io.gpushare.extender.placement.Costs;
import io.gpushare.extender.placement.PodRequest;
import io.gpushare.extender.placement.RecentCosts;
import io.gpushare.extender.placement.Scoring;
import io.gpushare.model.CardSelector;
import io.gpushare.model.Compute;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Health;
import io.gpushare.model.Inventory;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.InventoryCodec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The columns say what the entries say, whichever nodes come, change, go and return. */
class NodeColumnsProperties {
    private static final int EVENTS = 10_000;
    private static final int NAMES = 5000;
    private static final int WINDOW = 600;
    private static final Scoring BY_ROOM = way -> way.node().idle() + way.node().cpuMilli();
    private static final List<Ask> ASKS = List.of(
            new Ask(1, 0),
            new Ask(9, 0),
            new Ask(17, 0),
            new Ask(0, 1),
            new Ask(0, 2),
            new Ask(0, 4),
            new Ask(5, 1),
            new Ask(4, 2, 0, CardSelector.ANY));

    @Property(tries = 4)
    void theColumnsSayWhatTheEntriesSay(@ForAll long seed) {
        Random random = new Random(seed);
        Ledger ledger = World.ledger();
        Set<NodeColumns> columns = new HashSet<>();
        for (int i = 0; i < EVENTS; i++) {
            // They come one behind the other, and go.
            int newest = i * NAMES / EVENTS;
            event(ledger, "n" + Math.max(0, newest - random.nextInt(WINDOW)), random);
            ledger.nodeGone("n" + (newest - WINDOW));
            columns.add(ledger.columns());
            if (i % 100 == 0) {
                compare(ledger, random);
            }
        }
        assertThat(columns).as("they were full, and made anew").hasSizeGreaterThan(1);
        assertThat(ledger.columns().capacity())
                .as("who is gone takes no room for ever")
                .isLessThanOrEqualTo(2000);
    }

    private static void event(Ledger ledger, String node, Random random) {
        switch (random.nextInt(6)) {
            case 0 -> ledger.nodeGone(node);
            case 1, 2, 3 -> {
                Inventory inventory = new Inventory(
                        World.cards(16, 8).unit(),
                        null,
                        World.cards(16, 8).cards().stream()
                                .map(card ->
                                        card.withHealth(random.nextInt(4) == 0 ? Health.ill("Xid 79") : Health.well()))
                                .toList());
                ledger.nodeSeen(
                        node,
                        Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(inventory)),
                        new Compute(8000, 8000));
            }
            case 4 ->
                ledger.nodeSeen(
                        node, random.nextBoolean() ? Map.of() : Map.of(AnnotationKeys.INVENTORY, "{"), Compute.NONE);
            default -> {
                PodRef pod = new PodRef("uid-" + random.nextInt(300), "default", "p" + random.nextInt(300));
                List<ContainerResources> containers = List.of(new ContainerResources(
                        "main", ContainerRole.APP, Map.of("cpu", "1", "aliyun.com/gpu-mem", "8")));
                ledger.podSeen(new ClusterPod(pod, null, false, Map.of(), containers));
                Wanted wanted =
                        ledger.wanted(World.DEMANDS.decode(containers).valid().orElseThrow(), containers, Map.of());
                ledger.assume(pod, wanted, node, World.NOW);
            }
        }
    }

    private static void compare(Ledger ledger, Random random) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < NAMES; i += 1 + random.nextInt(8)) {
            names.add("n" + i);
        }
        NodeColumns columns = ledger.columns();
        NodeNumbers nodes = NodeNumbers.of(columns, names);
        for (Ask ask : ASKS) {
            assertThat(nodes.filter(ask).whys())
                    .containsExactly(names.stream()
                            .map(name -> ledger.nodeEntry(name).refusal(ask))
                            .toArray(Reason[]::new));
        }
        PodRequest pod = new PodRequest(1000, 100, 1 + random.nextInt(3), 0, Set.of());
        Costs costs = nodes.costs(BY_ROOM, pod);
        for (int i = 0; i < names.size(); i++) {
            assertThat(costs.at(i))
                    .isEqualTo(RecentCosts.cost(ledger.nodeEntry(names.get(i)).room(), BY_ROOM, pod));
        }
        for (int i = 0; i < names.size(); i++) {
            int number = nodes.number(i);
            if (number >= 0) {
                assertThat(columns.name(number)).isEqualTo(names.get(i));
            } else {
                assertThat(ledger.node(names.get(i))).isEmpty();
            }
        }
    }
}
