package io.gpushare.insight.waste;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.CardUsage.Part;
import io.gpushare.insight.waste.CardUsage.PodUse;
import io.gpushare.insight.waste.LedgerStats.Amounts;
import io.gpushare.insight.waste.WasteReport.Group;
import io.gpushare.insight.waste.WasteReport.NodeWaste;
import io.gpushare.insight.waste.WasteReport.Sample;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.NodeCards;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WasteRoundTest {
    private static final long GIB = 1L << 30;
    private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
    private static final LedgerStats STATS = new LedgerStats(
            Map.of(),
            Map.of(),
            0,
            Map.of("T4", new Amounts(Map.of(), 30 * GIB, 20 * GIB, 10 * GIB, 3 * GIB, 2 * GIB)),
            Map.of("n", new Amounts(Map.of(), 30 * GIB, 20 * GIB, 10 * GIB, 3 * GIB, 2 * GIB)));

    private NodeCards cards = NodeCards.of(new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-0", 0, Memory.ofGib(15)), Card.of("GPU-1", 1, Memory.ofGib(15)))));
    private final Map<Part, PodUse> used = new HashMap<>();

    private void holds(String namespace, String name, int card, Share share, double usedGib, int idleMinutes) {
        CardId id = new CardId("GPU-" + card);
        PodRef pod = new PodRef(namespace + name, namespace, name);
        Map<CardId, Share> shares = new HashMap<>(Map.of(id, share));
        cards.allocationOf(pod.uid())
                .ifPresent(held -> held.cards().forEach(other -> shares.put(other, held.shareOn(other))));
        cards = cards.with(
                pod,
                new Allocation(MemoryUnit.GIB, List.of(new ContainerAllocation("main", ContainerRole.APP, shares))));
        used.put(new Part(id.uuid(), namespace, name), use((long) (usedGib * GIB), idleMinutes * 60L));
    }

    private static PodUse use(long bytes, long idleSeconds) {
        return new PodUse(Map.of(ContainerFigure.USED_BYTES, bytes, ContainerFigure.IDLE_SECONDS, idleSeconds));
    }

    private static PodUse usedBytesOf(PodUse use) {
        return new PodUse(Map.of(ContainerFigure.USED_BYTES, requireNonNull(use.figure(ContainerFigure.USED_BYTES))));
    }

    private WasteReport report(WasteHistory history) {
        WasteRound round = new WasteRound();
        round.add(new NodeView("n", null, null, null, null, cards), new NodeUse(Map.of(), used));
        return round.end(STATS, NOW, history);
    }

    @Test
    void unusedIdleAndOverAreCountedOnceAndByOwner() {
        holds("lab", "web-7d4b9c6f5d-x2x4z", 0, Share.memory(4), 1, 29);
        holds("lab", "web-7d4b9c6f5d-b7c9d", 0, Share.memory(4), 4.5, 0);
        holds("prod", "train-0", 1, Share.WHOLE_CARD, 3, 30);

        WasteReport report = report(new WasteHistory());

        assertThat(report.now().pods())
                .isEqualTo(new Sums(3, 23 * GIB, 23 * GIB, 8 * GIB + GIB / 2, 15 * GIB, GIB / 2, 15 * GIB, 1, 1, 0));
        assertThat(report.now().memory().wasted()).isEqualTo(2 * GIB);
        assertThat(report.namespaces()).extracting(Group::namespace).containsExactly("prod", "lab");
        assertThat(report.workloads()).extracting(Group::workload).containsExactly("train", "web");
        assertThat(report.pods())
                .extracting(pod -> pod.pod().name())
                .as("what could be given back: all of an idle pod, the unused part of another")
                .containsExactly("train-0", "web-7d4b9c6f5d-x2x4z", "web-7d4b9c6f5d-b7c9d");
        assertThat(report.byNode())
                .containsExactly(new NodeWaste("n", report.now().pods(), true));
    }

    @Test
    void aPodOnSeveralCardsCountsOnce() {
        holds("lab", "p", 0, Share.memory(4), 5, 30);
        holds("lab", "p", 1, Share.memory(4), 5, 31);
        holds("lab", "half", 0, Share.memory(2), 1, 45);
        holds("lab", "half", 1, Share.memory(2), 1, 0);
        used.computeIfPresent(new Part("GPU-1", "lab", "half"), (_, use) -> usedBytesOf(use));
        WasteReport report = report(new WasteHistory());
        assertThat(report.now().pods())
                .isEqualTo(new Sums(2, 12 * GIB, 12 * GIB, 12 * GIB, 2 * GIB, 2 * GIB, 10 * GIB, 1, 2, 0));
        assertThat(report.workloads()).extracting(group -> group.sums().pods()).containsExactly(1, 1);
        assertThat(report.pods()).as("one row for each card").hasSize(4);
    }

    @Test
    void podsOfUnknownUsageAreNoWaste() {
        holds("lab", "p", 0, Share.memory(4), 0, 0);
        used.clear();
        WasteReport report = report(new WasteHistory());
        assertThat(report.now().pods()).isEqualTo(new Sums(1, 4 * GIB, 0, 0, 0, 0, 0, 0, 0, 1));
        assertThat(report.pods()).isEmpty();
        Sums sums = report.namespaces().getFirst().sums();
        assertThat(sums.usedBytes()).isNull();
        assertThat(sums.unusedBytes()).isNull();
        assertThat(sums.overBytes()).isNull();
        assertThat(sums.knownOver()).isNull();
        assertThat(sums.idleBytes()).isNull();
        assertThat(sums.knownIdle()).isNull();
    }

    @Test
    void aSumWithoutAnUnknownPartSaysSo() {
        holds("lab", "known", 0, Share.memory(4), 1, 30);
        holds("lab", "unknown", 0, Share.memory(4), 2, 0);
        used.computeIfPresent(new Part("GPU-0", "lab", "unknown"), (_, use) -> usedBytesOf(use));
        Sums sums = report(new WasteHistory()).namespaces().getFirst().sums();
        assertThat(sums).isEqualTo(new Sums(2, 8 * GIB, 8 * GIB, 3 * GIB, 5 * GIB, 0, 4 * GIB, 0, 1, 1));
        assertThat(sums.knownIdle()).isEqualTo(1);
        assertThat(Sums.NONE.usedBytes()).isZero();
        assertThat(Sums.NONE.knownIdle()).isZero();
    }

    @Test
    void listsAreBounded() {
        for (int i = 0; i < 400; i++) {
            holds("namespace-" + i, "p" + i + "x", 0, Share.memory(1 + i % 3), 0, 0);
        }
        WasteReport report = report(new WasteHistory());
        assertThat(report.now().pods().pods()).isEqualTo(400);
        assertThat(report.namespaces()).hasSize(200);
        assertThat(report.workloads()).hasSize(200);
        assertThat(report.pods()).hasSize(300);
        assertThat(report.pods().getFirst().allocatedBytes()).isEqualTo(3 * GIB);
    }

    @Test
    void theHistoryHasASampleEveryFiveMinutesOfTwelveHoursAndTheLatest() {
        WasteHistory history = new WasteHistory();
        for (int i = 0; i <= 24 * 60; i++) {
            history.add(new Sample(NOW.plus(Duration.ofMinutes(i)), Amounts.NONE, Sums.NONE));
        }
        List<Sample> samples = history.samples();
        assertThat(samples).hasSizeBetween(140, 144);
        assertThat(samples.getLast().at()).isEqualTo(NOW.plus(Duration.ofHours(24)));
        for (int i = 2; i < samples.size() - 1; i++) {
            assertThat(Duration.between(samples.get(i - 1).at(), samples.get(i).at()))
                    .isEqualTo(Duration.ofMinutes(5));
        }
    }

    @Test
    void workloadsAreNamedAsTheirOwners() {
        Map.of(
                        "web-7d4b9c6f5d-x2x4z", "web",
                        "web-x2x4z", "web",
                        "db-0", "db",
                        "nightly-28971234-x2x4z", "nightly-28971234",
                        "notebook", "notebook",
                        "-0", "-0")
                .forEach((pod, workload) -> assertThat(new PodOnCard(
                                        new PodOnCard.Share(new PodRef("u", "n", pod), 1, false, 0, 0),
                                        "n",
                                        0,
                                        GIB,
                                        Isolation.NONE,
                                        PodUse.UNKNOWN,
                                        null,
                                        null)
                                .workload())
                        .isEqualTo(workload));
    }
}
