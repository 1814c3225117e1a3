package io.gpushare.extender.search;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.scheduling.TestCluster;
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
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A ledger of nodes with memory pods, each of which a ReplicaSet controls. The cards of node n are {@code GPU-n-0} and
 * so on.
 */
final class RunningPods {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    final Placer placer =
            new Placer(new Ledger(TestCluster.DEMANDS, AnnotationObserver.none()), new Policies(PolicyKind.ADAPTIVE));

    final Ledger ledger = placer.ledger();
    private final Map<String, Inventory> inventories = new HashMap<>();

    RunningPods node(String name, int... gib) {
        List<Card> cards = new ArrayList<>();
        for (int i = 0; i < gib.length; i++) {
            cards.add(Card.of("GPU-" + name + "-" + i, i, Memory.ofGib(gib[i])));
        }
        inventories.put(name, new Inventory(MemoryUnit.GIB, null, cards));
        return annotated(name, "");
    }

    /** The node with that annotation gpushare.io/hold. */
    RunningPods annotated(String name, String hold) {
        ledger.updateNode(
                name,
                Map.of(
                        "gpushare.io/inventory",
                        InventoryCodec.encode(Objects.requireNonNull(inventories.get(name))),
                        "gpushare.io/hold",
                        hold),
                new HostResources(64_000, 1 << 18));
        return this;
    }

    RunningPods runs(String name, String node, int card, int units) {
        return runs(name, node, card, units, "ReplicaSet");
    }

    /** @param kind of its controller; null for none */
    RunningPods runs(String name, String node, int card, int units, @Nullable String kind) {
        return runs(name, node, card, units, kind, 0);
    }

    RunningPods runs(String name, String node, int card, int units, @Nullable String kind, int priority) {
        Inventory inventory = Objects.requireNonNull(inventories.get(node));
        ledger.updatePod(PodBuilder.pod(name)
                .on(node)
                .priority(priority, NOON)
                .controller(kind == null ? null : new PodController(kind, name, "controller-of-" + name))
                .annotations(AllocationCodec.annotations(
                        TestCluster.memory("GPU-" + node + "-" + card, units), inventory, "n1", List.of(), NOON))
                .containers(requests("aliyun.com/gpu-mem", units))
                .build());
        return this;
    }

    void ends(String name) {
        ledger.removePod(new PodRef("uid-" + name, "default", name));
    }

    PodEntry waits(String name, String resource, int amount) {
        return waits(name, resource, amount, 0);
    }

    PodEntry waits(String name, String resource, int amount, int priority) {
        ledger.updatePod(PodBuilder.pod(name)
                .priority(priority, NOON)
                .unschedulable(true)
                .containers(requests(resource, amount))
                .build());
        return ledger.podEntry("uid-" + name).orElseThrow();
    }

    private static List<ContainerResources> requests(String resource, int amount) {
        return List.of(new ContainerResources("main", ContainerRole.APP, Map.of(resource, String.valueOf(amount))));
    }
}
