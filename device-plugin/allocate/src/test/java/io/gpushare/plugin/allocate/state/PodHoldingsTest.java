package io.gpushare.plugin.allocate.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.TestLists;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PodHoldingsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final Inventory CARDS = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(80)), Card.of("GPU-b", 1, Memory.ofGib(80))));

    /** The container c0 of pod p has two units of card A; their devices are of card B. */
    private static final KubeletCheckpoint TWO_UNITS_OF_A = KubeletCheckpoint.of(List.of(new KubeletCheckpoint.Entry(
            "uid-p", "c0", "any.com/mem", Set.of("GPU-b::0", "GPU-b::1"), List.of(new NamedCard.ByUuid(A)))));

    private final LatestSnapshot latest = new LatestSnapshot(NodeSnapshot.of(CARDS), () -> {});
    private final PodHoldings holdings = new PodHoldings(latest, () -> true);

    private Stream<String> shares(Set<String> running) {
        return holdings.on(CARDS, running).holders().stream()
                .map(holder -> holder.ref() + " "
                        + holder.allocation().orElseThrow().shareOn(A).units());
    }

    /** A plugin that has just started, without the API server. */
    @Test
    void thePodsOfTheKubeletsCheckpointHaveTheirSharesOnTheCardsOfTheResponses() {
        // The kubelet only counts: the devices are of another card.
        latest.update(node -> node.withListed(TestLists.withDevices("p", "c0", "GPU-b::0", "GPU-b::1"), TestPods.START)
                .withCheckpoint(TWO_UNITS_OF_A));
        assertThat(shares(Set.of())).containsExactly("default/p 2");
    }

    /** A plugin that has just started, beside a kubelet that has just restarted, without the API server. */
    @Test
    void thePodsOfProcessesAreThoseOfTheCheckpointIfNothingElseReportsThem() {
        latest.update(node -> node.withCheckpoint(TWO_UNITS_OF_A));
        assertThat(shares(Set.of())).isEmpty();
        assertThat(shares(Set.of("uid-p", "uid-q"))).singleElement().asString().endsWith(" 2");
    }

    @Test
    void whereClaimsAreOfferedAPodKeepsWhatTheKubeletRecordedAndNotWhatAnAnnotationSays() {
        var running = TestPods.started(TestPods.onCard("p", 0, new CardId("GPU-b"), 2));
        latest.update(node -> node.withPod(running));
        assertThat(holdings.on(CARDS).mayHaveAny()).isEmpty();

        holdings.look(_ -> Optional.empty(), Optional::empty);
        assertThat(holdings.on(CARDS).mayHaveAny()).containsExactly("the pods of this node can't be listed");

        holdings.look(_ -> Optional.of(List.of(running)), () -> Optional.of(KubeletCheckpoint.EMPTY));
        assertThat(holdings.on(CARDS).holders())
                .allMatch(holder -> holder.kept().isEmpty());

        KubeletCheckpoint recorded = KubeletCheckpoint.of(List.of(new KubeletCheckpoint.Entry(
                "uid-p", "main", "any.com/mem", Set.of("x", "y"), List.of(new NamedCard.ByUuid(A)))));
        holdings.look(_ -> Optional.of(List.of(running)), () -> Optional.of(recorded));
        assertThat(holdings.on(CARDS).holders()).extracting(Holder::kept).containsExactly(Set.of(A));
    }
}
