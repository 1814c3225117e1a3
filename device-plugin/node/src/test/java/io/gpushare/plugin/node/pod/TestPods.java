package io.gpushare.plugin.node.pod;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.foreign.AliyunPod;
import io.gpushare.model.foreign.ForeignPod;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Pods for tests, in one namespace; the uid derives from the name. */
public final class TestPods {
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private TestPods() {}

    public static PodRef ref(String name) {
        return new PodRef("uid-" + name, "default", name);
    }

    /** A pod that requests these, without an annotation. */
    public static NodePod unannotated(String name, int second, ContainerDemand... containers) {
        return pod(
                ref(name),
                START.plusSeconds(second),
                false,
                new Decoded.Valid<>(new Demand(Arrays.asList(containers))),
                new Decoded.Absent<>());
    }

    /** A pod without a started container, without one of a former resource, and without annotations of gpushare. */
    public static NodePod pod(
            PodRef ref, Instant created, boolean ended, Decoded<Demand> demand, Decoded<Allocation> allocation) {
        return new NodePod(
                ref,
                created,
                ended,
                demand,
                allocation,
                names(demand),
                false,
                Map.of(),
                Set.of(),
                AliyunPod.NONE,
                List.of(),
                Set.of());
    }

    private static List<String> names(Decoded<Demand> demand) {
        return demand.valid().stream()
                .flatMap(valid -> valid.containers().stream())
                .map(ContainerDemand::name)
                .toList();
    }

    /** A pod that requests no GPU resource. */
    public static NodePod withoutDemand(String name) {
        return pod(ref(name), START, false, new Decoded.Absent<>(), new Decoded.Absent<>());
    }

    /** The same pod with this annotated allocation. */
    public static NodePod annotated(NodePod pod, Allocation allocation) {
        return pod(pod.ref(), pod.created(), pod.ended(), pod.demand(), new Decoded.Valid<>(allocation));
    }

    public static NodePod ended(NodePod pod) {
        return new NodePod(
                pod.ref(),
                pod.created(),
                true,
                pod.demand(),
                pod.allocation(),
                pod.containers(),
                pod.admitted(),
                pod.started(),
                pod.former(),
                pod.foreign(),
                pod.claims(),
                Set.of());
    }

    /** A pod of one container {@code main}, annotated by gpushare with these suffixes of keys and values. */
    public static NodePod gpushare(String name, int units, Map<String, String> annotations) {
        Map<String, String> written = new LinkedHashMap<>();
        annotations.forEach((key, value) -> written.put("ALIYUN_COM_GPU_MEM_" + key, value));
        return bound(
                unannotated(name, 0, memory("main", units)), AliyunPod.of(written, List.of(memory("main", units))));
    }

    /** A pod of HAMi that requests these, with these annotations, on node {@code n1}. */
    public static NodePod hami(String name, Map<String, String> annotations, ContainerDemand... containers) {
        return bound(
                unannotated(name, 0, containers),
                ForeignPod.of(annotations, "n1", List.of(), Arrays.asList(containers)));
    }

    /** The same pod as another scheduler annotated it. */
    private static NodePod bound(NodePod pod, ForeignPod foreign) {
        return new NodePod(
                pod.ref(),
                pod.created(),
                pod.ended(),
                pod.demand(),
                pod.allocation(),
                pod.containers(),
                pod.admitted(),
                pod.started(),
                pod.former(),
                foreign,
                pod.claims(),
                Set.of());
    }

    /** The same pod, whose container has started. */
    public static NodePod started(NodePod pod) {
        return started(pod, Map.of("containerid", "main"));
    }

    /** The same pod with these started containers, names by ID. */
    public static NodePod started(NodePod pod, Map<String, String> containers) {
        return new NodePod(
                pod.ref(),
                pod.created(),
                pod.ended(),
                pod.demand(),
                pod.allocation(),
                pod.containers(),
                true,
                containers,
                pod.former(),
                pod.foreign(),
                pod.claims(),
                Set.of());
    }

    /** A pod of one container {@code main} with that much memory of that card. */
    public static NodePod onCard(String name, int second, CardId card, int units) {
        return annotated(unannotated(name, second, memory("main", units)), allocation(share("main", card, units)));
    }

    /** Each of these cards whole, in their order. */
    public static Map<CardId, Share> wholeCards(CardId... cards) {
        Map<CardId, Share> shares = new LinkedHashMap<>();
        Arrays.stream(cards).forEach(card -> shares.put(card, card.whole()));
        return shares;
    }

    /** A pod of one container {@code main} with these cards. */
    public static NodePod whole(String name, int second, CardId... cards) {
        ContainerAllocation own = new ContainerAllocation("main", ContainerRole.APP, wholeCards(cards));
        return annotated(
                unannotated(name, second, new ContainerDemand("main", ContainerRole.APP, own.total())),
                allocation(own));
    }

    public static ContainerDemand memory(String name, int units) {
        return new ContainerDemand(name, ContainerRole.APP, Share.memory(units));
    }

    public static ContainerDemand cores(String name, int units, int percent) {
        return new ContainerDemand(name, ContainerRole.APP, Share.memory(units).plus(Share.cores(percent)));
    }

    /** The card with MPS, whose cores can be limited. */
    public static Card mps(Card card) {
        return card.withIsolation(CardIsolation.of(Isolation.MPS));
    }

    /** A MIG instance of the card {@code GPU-parent}. */
    public static Card instance(String uuid, int index, String profile, int gib) {
        MigInstance instance =
                new MigInstance(new CardId("GPU-parent"), profile, index, 0, List.of(index, index + 100));
        return new Card(
                new CardId(uuid),
                index,
                5,
                "NVIDIA H100",
                Memory.ofGib(gib),
                new Card.Details(null, null, null, true, instance));
    }

    public static ContainerDemand cards(String name, int count) {
        return new ContainerDemand(name, ContainerRole.APP, Share.whole(count));
    }

    public static ContainerAllocation share(String container, CardId card, int units) {
        return new ContainerAllocation(container, ContainerRole.APP, Map.of(card, Share.memory(units)));
    }

    public static Allocation allocation(ContainerAllocation... containers) {
        return new Allocation(MemoryUnit.GIB, Arrays.asList(containers));
    }

    /** A pod that requests no devices, and whose containers use claims. */
    public static NodePod using(String name, ClaimUse... claims) {
        NodePod pod = NodePod.unknown(ref(name));
        return new NodePod(
                pod.ref(),
                START,
                false,
                pod.demand(),
                pod.allocation(),
                Stream.of(claims).map(ClaimUse::container).toList(),
                pod.admitted(),
                pod.started(),
                pod.former(),
                pod.foreign(),
                List.of(claims),
                Set.of());
    }
}
