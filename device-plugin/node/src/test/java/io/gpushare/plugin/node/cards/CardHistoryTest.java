package io.gpushare.plugin.node.cards;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.DriverFacts;
import io.gpushare.nvml.library.NvmlException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CardHistoryTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final DriverFacts DRIVER = new DriverFacts(Optional.of("580.95.05"), Optional.of("13.0"));

    private final CardHistory cards = history(Map.of());

    @Test
    void presentCardsHaveTheirFacts() {
        Inventory inventory = cards.with(DRIVER, List.of(present(0, "GPU-a"), present(1, "GPU-b")), NOW);

        assertThat(inventory.driver()).isEqualTo(new Inventory.Driver("580.95.05", "13.0"));
        assertThat(inventory.cards()).extracting(card -> card.id().uuid()).containsExactly("GPU-a", "GPU-b");
        Card card = inventory.cards().getLast();
        assertThat(inventory.capacityOf(card).units()).isEqualTo(15);
        assertThat(card.minor()).isEqualTo(4);
    }

    @Test
    void aLostCardKeepsItsFactsAndIsUnhealthyUntilItIsBack() {
        Inventory before = cards.with(DRIVER, List.of(present(0, "GPU-a"), present(1, "GPU-b")), NOW);
        Inventory lost = cards.with(
                DRIVER,
                List.of(present(0, "GPU-a"), new CardReading.Lost(1, Optional.of("GPU-b"), "GPU is lost")),
                NOW);

        assertThat(card(lost, "GPU-b"))
                .isEqualTo(card(before, "GPU-b").withHealth(new Health.Unhealthy("GPU is lost")));
        assertThat(card(lost, "GPU-a").health()).isEqualTo(new Health.Healthy());
        assertThat(cards.with(DRIVER, List.of(present(0, "GPU-a"), present(1, "GPU-b")), NOW))
                .isEqualTo(before);
    }

    @Test
    void aCardThatTheDriverNoLongerListsIsUnhealthyAndNotRemoved() {
        cards.with(DRIVER, List.of(present(0, "GPU-a"), present(1, "GPU-b")), NOW);

        Inventory fewer = cards.with(DRIVER, List.of(present(0, "GPU-b")), NOW);

        assertThat(card(fewer, "GPU-a").health()).isEqualTo(new Health.Unhealthy("the driver no longer lists it"));
        assertThat(card(fewer, "GPU-b").health()).isEqualTo(new Health.Healthy());
    }

    @Test
    void withoutADriverKnownCardsAreUnhealthyAndNoOthersAppear() {
        NoCards why = new NoCards(NoCards.Cause.DRIVER_NOT_LOADED, "Driver Not Loaded");
        NvmlException failure = new NvmlException.DriverMissing("Driver Not Loaded", false, null);
        assertThat(cards.withoutDriver(failure, NOW))
                .isEqualTo(Inventory.empty(MemoryUnit.GIB).withNoCards(why));
        cards.with(DRIVER, List.of(present(0, "GPU-a")), NOW);

        Inventory lost = cards.withoutDriver(failure, NOW);
        assertThat(card(lost, "GPU-a").health()).isEqualTo(new Health.Unhealthy("the driver does not respond"));
        assertThat(lost.noCards()).isEqualTo(why);
    }

    private static Card card(Inventory inventory, String uuid) {
        return inventory.card(new CardId(uuid)).orElseThrow();
    }

    @Test
    void aCardOfUnknownMemoryCanOnlyBeTakenWholeAndNamesTheOption() {
        Card card = card(cards.with(DRIVER, List.of(gb10()), NOW), "GPU-gb10");
        assertThat(card.hasMemory()).isFalse();
        assertThat(card.sharesMemory()).isFalse();
        assertThat(card.placeable()).isTrue();
        assertThat(card.isolation().missing())
                .isEqualTo("the driver does not report how much memory it has, and the device plugin's option"
                        + " --card-memory=\"NVIDIA GB10=<amount>\" is missing");
        assertThat(cards.contradiction()).isEmpty();
    }

    @Test
    void theOptionGivesTheCardItsMemory() {
        CardHistory withOption = history(Map.of("NVIDIA GB10", Memory.ofGib(119)));
        Card card = card(withOption.with(DRIVER, List.of(gb10()), NOW), "GPU-gb10");
        assertThat(card.memory()).isEqualTo(Memory.ofGib(119));
        assertThat(card.sharesMemory()).isTrue();
        assertThat(withOption.contradiction()).isEmpty();
    }

    @Test
    void anOptionThatTheDriverContradictsIsRefused() {
        CardHistory withOption = history(Map.of("Tesla T4", Memory.ofGib(16)));
        withOption.with(DRIVER, List.of(present(0, "GPU-a")), NOW);
        assertThat(withOption.contradiction())
                .isEqualTo(
                        "--card-memory names 16384MiB for Tesla T4, but the driver reports 15360MiB: leave the option"
                                + " out for this model");
    }

    @Test
    void aFactThatIsNotReportedOnceIsTheLastKnownOne() {
        cards.with(DRIVER, List.of(present(0, "GPU-a")), NOW);
        CardReading silent = present(0, "GPU-a", Optional.empty(), OptionalLong.empty());
        Card card =
                card(cards.with(new DriverFacts(Optional.empty(), Optional.empty()), List.of(silent), NOW), "GPU-a");
        assertThat(card.model()).isEqualTo("Tesla T4");
        assertThat(card.memory()).isEqualTo(Memory.ofGib(15));
        assertThat(card.health()).isEqualTo(new Health.Healthy());
    }

    private static CardHistory history(Map<String, Memory> memoryByModel) {
        return new CardHistory(
                MemoryUnit.GIB,
                new CardHealth(Duration.ofSeconds(10)),
                false,
                memoryByModel,
                new MigCards(true, Optional.empty()));
    }

    private static CardReading gb10() {
        return present(0, "GPU-gb10", Optional.of("NVIDIA GB10"), OptionalLong.empty());
    }

    private static CardReading present(int index, String uuid) {
        return present(index, uuid, Optional.of("Tesla T4"), OptionalLong.of(15L << 30));
    }

    private static CardReading present(int index, String uuid, Optional<String> model, OptionalLong memory) {
        return new CardReading.Present(
                index,
                new CardFacts(
                        index,
                        uuid,
                        model,
                        OptionalInt.of(index + 3),
                        memory,
                        OptionalLong.of(447L << 20),
                        Optional.empty(),
                        Optional.of(true),
                        OptionalInt.of(0),
                        Optional.of("0000:3b:00.0"),
                        Optional.empty()));
    }
}
