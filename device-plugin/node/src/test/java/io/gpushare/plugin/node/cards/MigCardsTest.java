package io.gpushare.plugin.node.cards;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.NoCards;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.DriverFacts;
import io.gpushare.nvml.MigFacts;
import io.gpushare.nvml.XidEvent;
import io.gpushare.plugin.node.isolation.IsolationPolicy;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigCardsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final DriverFacts DRIVER = new DriverFacts(Optional.of("580.95.05"), Optional.of("13.0"));
    private static final MigFacts.Instance LARGE = instance("MIG-large", "3g.40gb", 39, 1, 0);
    private static final MigFacts.Instance SMALL = instance("MIG-small", "1g.10gb+me", 9, 7, 0);

    private final CardHistory cards = history(true, Optional.empty());

    @Test
    void instancesAreCardsInPlaceOfTheirCardAndHaveTheNumbersAfterAllCards() {
        Inventory node = scan(full(0, "GPU-a"), cut(1, "GPU-b", SMALL, LARGE), full(2, "GPU-c"));
        assertThat(node.cards())
                .extracting(card -> card.id().uuid())
                .containsExactly("GPU-a", "GPU-c", "MIG-large", "MIG-small");
        assertThat(node.cards()).extracting(Card::index).containsExactly(0, 2, 3, 4);
        Card large = node.cards().get(2);
        assertThat(large.model()).isEqualTo("NVIDIA H100");
        assertThat(large.memory()).isEqualTo(Memory.ofGib(39));
        assertThat(large.minor()).isEqualTo(4);
        assertThat(large.details().mig()).isTrue();
        assertThat(large.details().instance())
                .isEqualTo(new MigInstance(new CardId("GPU-b"), "3g.40gb", 1, 0, List.of()));
        assertThat(node.noCards()).isNull();
        assertThat(cards.present(true)).containsExactlyInAnyOrder("MIG-large", "MIG-small");
        assertThat(cards.present(false)).containsExactlyInAnyOrder("GPU-a", "GPU-c");
    }

    @Test
    void instancesThatWereRemovedLeaveAndThoseOfALostCardStayUnhealthy() {
        scan(full(0, "GPU-a"), cut(1, "GPU-b", LARGE, SMALL));
        MigFacts.Instance again = instance("MIG-again", "3g.40gb", 39, 1, 0);
        assertThat(scan(full(0, "GPU-a"), cut(1, "GPU-b", again, SMALL)).cards())
                .extracting(card -> card.id().uuid())
                .containsExactly("GPU-a", "MIG-again", "MIG-small");
        Inventory lost = scan(full(0, "GPU-a"), new CardReading.Lost(1, Optional.of("GPU-b"), "GPU is lost"));
        assertThat(lost.cards())
                .extracting(Card::health)
                .containsExactly(
                        new Health.Healthy(), new Health.Unhealthy("GPU is lost"), new Health.Unhealthy("GPU is lost"));
        assertThat(scan(full(0, "GPU-a"), full(1, "GPU-b")).cards())
                .as("MIG was disabled")
                .extracting(card -> card.id().uuid())
                .containsExactly("GPU-a", "GPU-b");
    }

    /** It was a free whole card then, beside the containers that have its instances. */
    @Test
    void aCardOfWhichTheDriverDoesNotSayWhetherItIsCutKeepsItsInstances() {
        List<Card> before =
                scan(full(0, "GPU-a"), cut(1, "GPU-b", LARGE, SMALL)).cards();
        assertThat(scan(full(0, "GPU-a"), reading(1, "GPU-b", Optional.empty())).cards())
                .isEqualTo(before);
        assertThat(scan(full(0, "GPU-a"), full(1, "GPU-b")).cards())
                .extracting(card -> card.id().uuid())
                .containsExactly("GPU-a", "GPU-b");
    }

    @Test
    void aCardWithoutAnInstanceOffersNothingAndSaysWhy() {
        Inventory none = scan(cut(0, "GPU-b"));
        assertThat(none.noCards()).isEqualTo(new NoCards(NoCards.Cause.MIG_ENABLED));
        assertThat(reason(none.cards().getFirst())).contains("without an instance", "nvidia-smi mig -cgi");
        Inventory off = history(false, Optional.empty()).with(DRIVER, List.of(cut(0, "GPU-b", LARGE)), NOW);
        assertThat(reason(off.cards().getFirst())).contains("--mig=off");
        Inventory old = scan(cut(0, "GPU-b", instance("MIG-GPU-b/1/0", "3g.40gb", 39, 1, 0)));
        assertThat(reason(old.cards().getFirst())).contains("driver 470 or newer");
    }

    @Test
    void aPendingModeChangeMakesTheCardAndItsInstancesUnhealthy() {
        Inventory node = scan(
                reading(0, "GPU-a", new MigFacts(false, true, List.of())),
                reading(1, "GPU-b", new MigFacts(true, false, List.of(LARGE))));
        assertThat(node.cards())
                .extracting(MigCardsTest::reason)
                .containsExactly(
                        "MIG will be enabled by the next reset of the card",
                        "MIG will be disabled by the next reset of the card");
    }

    @Test
    void computeInstancesThatShareMemoryCanOnlyBeTakenWhole() {
        Inventory node = scan(cut(
                0,
                "GPU-b",
                new MigFacts.Instance(
                        "MIG-c",
                        Optional.of("1c.3g.40gb"),
                        OptionalLong.of(39L << 30),
                        OptionalLong.of(0),
                        1,
                        0,
                        false)));
        Card card = node.cards().getFirst();
        assertThat(card.placeable()).isTrue();
        assertThat(card.sharesMemory()).isFalse();
        assertThat(card.isolation().missing()).contains("shares the memory of its GPU instance");
        assertThat(node.capacityOf(card).units()).isZero();
    }

    @Test
    void anInstanceSmallerThanAUnitSaysWhichUnitFits() {
        Inventory node = new CardHistory(
                        MemoryUnit.ofMib(16384),
                        new CardHealth(Duration.ofSeconds(10)),
                        false,
                        Map.of(),
                        new MigCards(true, Optional.empty()))
                .with(DRIVER, List.of(cut(0, "GPU-b", LARGE, SMALL)), NOW);
        assertThat(node.cards().getFirst().sharesMemory()).isTrue();
        Card small = node.cards().getLast();
        assertThat(small.placeable()).isTrue();
        assertThat(small.sharesMemory()).isFalse();
        assertThat(small.isolation().missing())
                .isEqualTo("it has 9 GiB, less than one unit of 16 GiB: --memory-unit=9216MiB or a smaller unit"
                        + " fits");
        IsolationPolicy none = IsolationPolicy.NONE;
        assertThat(none.decide(node, new IsolationProvider() {})).containsOnlyKeys(new CardId("MIG-large"));
    }

    @Test
    void anXidConcernsTheInstanceThatItNamesOrAllOfTheCard() {
        scan(full(0, "GPU-a"), cut(1, "GPU-b", LARGE, SMALL));
        assertThat(concerned("GPU-b", OptionalInt.of(7))).containsExactly(new CardId("MIG-small"));
        assertThat(concerned("GPU-b", OptionalInt.empty()))
                .containsExactlyInAnyOrder(new CardId("MIG-large"), new CardId("MIG-small"));
        assertThat(concerned("GPU-b", OptionalInt.of(9))).isEmpty();
        assertThat(concerned("GPU-a", OptionalInt.empty())).containsExactly(new CardId("GPU-a"));
    }

    @Test
    void theNumbersOfTheDeviceFilesAreReadFromTheDriver(@TempDir Path proc) throws IOException {
        CardHistory withFiles = history(true, Optional.of(new MigMinors(proc)));
        Card without = withFiles
                .with(DRIVER, List.of(cut(1, "GPU-b", LARGE)), NOW)
                .cards()
                .getFirst();
        assertThat(reason(without)).contains("/dev/nvidia-caps");
        Path file = proc.resolve("driver/nvidia-caps/mig-minors");
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(
                file, "config 1\nmonitor 2\ngpu4/gi1/access 12\ngpu4/gi1/ci0/access 13\ngpu0/gi1/access 99\n");
        Card card = withFiles
                .with(DRIVER, List.of(cut(1, "GPU-b", LARGE)), NOW)
                .cards()
                .getFirst();
        assertThat(card.health()).isEqualTo(new Health.Healthy());
        assertThat(Objects.requireNonNull(card.details().instance()).caps()).containsExactly(12, 13);
        Files.writeString(file, "gpu4/gi1/access 12\ngpu4/gi1/ci0/access 13\n" + "x\n".repeat(1 << 19));
        assertThat(new MigMinors(proc).read())
                .as("a file that is longer than any driver's")
                .isEmpty();
    }

    private Set<CardId> concerned(String card, OptionalInt gpuInstance) {
        return cards.concerned(
                card,
                new XidEvent(
                        Optional.of(card),
                        48,
                        gpuInstance,
                        gpuInstance.isPresent() ? OptionalInt.of(0) : OptionalInt.empty()));
    }

    private Inventory scan(CardReading... readings) {
        return cards.with(DRIVER, List.of(readings), NOW);
    }

    private static String reason(Card card) {
        return card.health() instanceof Health.Unhealthy(String reason) ? reason : "";
    }

    private static CardHistory history(boolean offered, Optional<MigMinors> minors) {
        return new CardHistory(
                MemoryUnit.GIB,
                new CardHealth(Duration.ofSeconds(10)),
                minors.isPresent(),
                Map.of(),
                new MigCards(offered, minors));
    }

    private static MigFacts.Instance instance(
            String uuid, String profile, long gib, int gpuInstance, int computeInstance) {
        return new MigFacts.Instance(
                uuid,
                Optional.of(profile),
                OptionalLong.of(gib << 30),
                OptionalLong.of(12L << 20),
                gpuInstance,
                computeInstance,
                true);
    }

    private static CardReading full(int index, String uuid) {
        return reading(index, uuid, new MigFacts(false, false, List.of()));
    }

    private static CardReading cut(int index, String uuid, MigFacts.Instance... instances) {
        return reading(index, uuid, new MigFacts(true, true, List.of(instances)));
    }

    private static CardReading reading(int index, String uuid, MigFacts mig) {
        return reading(index, uuid, Optional.of(mig));
    }

    private static CardReading reading(int index, String uuid, Optional<MigFacts> mig) {
        return new CardReading.Present(
                index,
                new CardFacts(
                        index,
                        uuid,
                        Optional.of("NVIDIA H100"),
                        OptionalInt.of(index + 3),
                        OptionalLong.of(80L << 30),
                        OptionalLong.of(480L << 20),
                        Optional.empty(),
                        Optional.of(true),
                        OptionalInt.of(0),
                        Optional.of("0000:3b:00.0"),
                        mig));
    }
}
