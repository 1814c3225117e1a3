package io.gpushare.claims;

import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.ClaimState.Request;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.claims.ResourceClaim.Result;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.KubeletReport;
import io.gpushare.model.pod.PodClaims;
import io.gpushare.model.pod.PodPriority;
import io.gpushare.model.pod.PodScheduling;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A ledger that is shown pods with claims: two cards of 8 GiB on each node, and what the ledger then has. */
final class ShownCluster {
    static final CardId A = new CardId("GPU-a");
    static final CardId B = new CardId("GPU-b");
    static final Card INSTANCE = new Card(
            new CardId("MIG-c"),
            2,
            2,
            "NVIDIA A30",
            Memory.ofGib(6),
            new Card.Details(
                    new ComputeCapability(8, 0),
                    null,
                    null,
                    null,
                    new MigInstance(new CardId("GPU-p"), "1g.6gb", 1, 0, List.of(1))));
    static final Inventory TWO = inventory(MemoryUnit.GIB, card("GPU-a", 0), card("GPU-b", 1));
    /** What a pod requests as resources, beside its claims. */
    static final List<ContainerResources> FIVE = List.of(resources("aliyun.com/gpu-mem", "5"));

    static final Inventory NONE = Inventory.empty(MemoryUnit.GIB);

    final Ledger ledger = new Ledger(new DemandCodec(ResourceNames.DEFAULT), AnnotationObserver.none());
    final List<PodRef> updates = new ArrayList<>();
    final AtomicLong now = new AtomicLong();
    final ClaimedPods pods = new ClaimedPods(
            node -> ledger.nodeEntry(node).cards().inventory(),
            ledger::annotated,
            new PodFeed() {
                @Override
                public void updatePod(PodState pod) {
                    updates.add(pod.ref());
                    ledger.updatePod(pod);
                }

                @Override
                public void removePod(PodRef pod) {
                    ledger.removePod(pod);
                }
            },
            () -> {},
            now::get);

    static Card card(String uuid, int index) {
        return Card.of(uuid, index, Memory.ofGib(8));
    }

    static Inventory inventory(MemoryUnit unit, Card... cards) {
        return new Inventory(unit, null, List.of(cards)).withNoCards(new NoCards(NoCards.Cause.SERVES_CLAIMS));
    }

    /** The node has these cards now; null for a node that is gone. */
    void node(String name, @Nullable Inventory inventory) {
        if (inventory == null) {
            ledger.removeNode(name);
        } else {
            ledger.updateNode(name, InventoryCodec.annotations(inventory), new HostResources(64_000, 64_000));
        }
        pods.nodeChanged(name);
    }

    /** A pod that names these claims. */
    static PodState pod(String name, @Nullable String node, String... claims) {
        return pod(name, node, List.of(), claims);
    }

    static PodState pod(String name, @Nullable String node, List<ContainerResources> containers, String... claims) {
        return pod(name, node, Map.of(), containers, claims);
    }

    /** A bound pod that requests 5 units, and that the node's device plugin has annotated with so many of card B. */
    static PodState annotated(String name, String node, int units, String... claims) {
        return pod(
                name,
                node,
                Map.of(
                        AnnotationKeys.ALLOCATION,
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-b\":"
                                + units + "}}]}"),
                FIVE,
                claims);
    }

    private static PodState pod(
            String name,
            @Nullable String node,
            Map<String, String> annotations,
            List<ContainerResources> containers,
            String... claims) {
        return new PodState(
                ref(name),
                node,
                false,
                PodPriority.DEFAULT,
                null,
                null,
                annotations,
                containers,
                Set.of(),
                new PodScheduling(NodeRules.ANY, List.of(), null, List.of(), node == null, "", "", null, null),
                KubeletReport.of(KubeletReport.Admission.PENDING),
                null,
                claims.length == 0 ? PodClaims.NONE : new PodClaims(List.of(claims), false));
    }

    static PodRef ref(String name) {
        return new PodRef("uid-" + name, "team", name);
    }

    static ContainerResources resources(String name, String quantity) {
        return new ContainerResources("main", ContainerRole.APP, Map.of(name, quantity));
    }

    /** A claim that requests so much memory of one card, or all of it for null, and has nothing. */
    static ClaimState claim(String name, @Nullable String memory) {
        return claim(name, List.of(request(ClaimState.ANY, 1, memory)));
    }

    static ClaimState claim(String name, List<Request> requests) {
        return state(name, requests, List.of());
    }

    static Request request(String deviceClass, int count, @Nullable String memory) {
        return new Request("gpu", deviceClass, count, memory, null, false, false, false);
    }

    /** The same with cards, for these pods. */
    static ClaimState allocated(ClaimState claim, List<String> pods, Result... results) {
        return new ClaimState(
                new ResourceClaim(
                        claim.claim().uid(),
                        claim.claim().namespace(),
                        claim.claim().name(),
                        pods.stream().map(ShownCluster::ref).toList(),
                        List.of(results),
                        List.of()),
                claim.requests(),
                claim.constraints());
    }

    private static ClaimState state(String name, List<Request> requests, List<Result> results) {
        return new ClaimState(
                new ResourceClaim("uid-claim-" + name, "team", name, List.of(), results, List.of()),
                requests,
                ClaimState.Constraints.NONE);
    }

    static Result result(String node, String device, @Nullable String memory) {
        return result("gpu", node, device, memory);
    }

    static Result result(String request, String node, String device, @Nullable String memory) {
        return new Result(
                request,
                "gpushare.io",
                node,
                device,
                false,
                memory == null ? Map.of() : Map.of("memory", memory, "cores", "0", "slots", "1"),
                "share");
    }

    /** Who holds what, by node and holder. */
    Map<String, Map<String, Allocation>> held() {
        pods.work();
        Map<String, Map<String, Allocation>> held = new TreeMap<>();
        ledger.nodeEntries()
                .forEach((name, entry) -> entry.cards()
                        .holdings()
                        .forEach(holding -> held.computeIfAbsent(name, _ -> new TreeMap<>())
                                .put(holding.holder().toString(), holding.allocation())));
        return held;
    }

    /** The holders of that node, each with what it has of the first card and of the second, in units. */
    Stream<String> on(String node) {
        return held().getOrDefault(node, Map.of()).entrySet().stream()
                .map(each -> each.getKey() + " "
                        + Stream.of(A, B)
                                .map(card -> each.getValue().shareOn(card))
                                .map(share -> share.takenWhole() > 0 ? "whole" : String.valueOf(share.units()))
                                .toList());
    }

    /** What pods with claims wait for, by name. */
    Map<String, Demand> waiting() {
        pods.work();
        Map<String, Demand> waiting = new TreeMap<>();
        ledger.waitingForOthers().forEach(pod -> waiting.put(pod.ref().toString(), pod.demand()));
        return waiting;
    }
}
