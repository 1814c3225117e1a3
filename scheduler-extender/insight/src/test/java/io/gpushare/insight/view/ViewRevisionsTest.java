package io.gpushare.insight.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.Policies;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ViewRevisionsTest {
    private static final long SECOND = 1_000_000_000;

    private final DemandCodec demands = new DemandCodec(ResourceNames.DEFAULT);
    private final Placer placer =
            new Placer(new Ledger(demands, AnnotationObserver.none()), new Policies(PolicyKind.WSP));
    private final Ledger ledger = placer.ledger();
    private final ViewRevisions revisions = new ViewRevisions(ledger::state);
    private long now = 5 * SECOND;

    @BeforeEach
    void nodes() {
        node("a", 16);
        node("b", 16);
    }

    private void node(String name, int gib) {
        Inventory inventory =
                new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-" + name, 0, Memory.ofGib(gib))));
        ledger.updateNode(name, Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory)), HostResources.NONE);
    }

    private ClusterChanges read(String since) {
        now += SECOND;
        return revisions.since(since, now);
    }

    private static List<String> names(ClusterChanges changes) {
        return changes.nodes().stream()
                .map(ClusterState.NodeView::name)
                .sorted()
                .toList();
    }

    @Test
    void aCallerWithARevisionGetsTheChangesSinceIt() {
        ClusterChanges first = read("");
        assertThat(first.full()).isTrue();
        assertThat(names(first)).containsExactly("a", "b");
        assertThat(read(first.revision()).revision()).isEqualTo(first.revision());
        node("b", 32);
        ClusterChanges second = read(first.revision());
        assertThat(second.full()).isFalse();
        assertThat(names(second)).containsExactly("b");
        ledger.removeNode("a");
        node("c", 16);
        ClusterChanges third = read(second.revision());
        assertThat(names(third)).containsExactly("c");
        assertThat(third.gone()).containsExactly("a");
        // A caller that polls less often gets all changes at once.
        ClusterChanges late = read(first.revision());
        assertThat(names(late)).containsExactly("b", "c");
        assertThat(late.gone()).containsExactly("a");
        node("a", 16);
        ClusterChanges back = read(third.revision());
        assertThat(names(back)).containsExactly("a");
        assertThat(back.gone()).isEmpty();
    }

    @Test
    void anUnknownRevisionGetsTheFullSnapshot() {
        ClusterChanges first = read("");
        for (String unknown : List.of("01234567-1", "nonsense", "-", first.revision() + "0")) {
            assertThat(read(unknown).full()).isTrue();
        }
    }

    @Test
    void revisionsThatAreNotReadAreDroppedAndAFullSnapshotFollows() {
        ClusterChanges first = read("");
        now += 60 * SECOND;
        revisions.rest(now);
        assertThat(read(first.revision()).full()).isFalse();
        now += 121 * SECOND;
        revisions.rest(now);
        ClusterChanges again = read(first.revision());
        assertThat(again.full()).isTrue();
        assertThat(names(again)).containsExactly("a", "b");
    }

    @Test
    void waitingPodsFromBeforeTheDropAreNoChangeAfterwards() {
        read("");
        PodRef big = new PodRef("uid-big", "default", "big");
        ledger.updatePod(PodBuilder.pod(big)
                .unschedulable(true)
                .requesting("aliyun.com/gpu-mem", 99)
                .build());
        assertThat(read("").waiting()).isNotNull();
        ledger.removePod(big);
        assertThat(read("").waiting()).isNotNull();
        now += 121 * SECOND;
        revisions.rest(now);
        ClusterChanges first = read("");
        assertThat(read(first.revision()).waiting()).isNull();
    }

    @Test
    void frequentReadsShareOneRevision() {
        ClusterChanges first = read("");
        node("b", 32);
        assertThat(revisions.since(first.revision(), now).nodes()).isEmpty();
        assertThat(names(read(first.revision()))).containsExactly("b");
    }
}
