package io.gpushare.plugin.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.CardUtilization;
import io.gpushare.plugin.node.usage.NodeUsage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ForeignMemoryTest {
    private static final Card CARD = Card.of("GPU-a", 0, Memory.ofGib(15));
    private static final CardId ID = CARD.id();
    private static final int REPORTS = 6;

    private final ForeignMemory memory = new ForeignMemory(true);

    @Test
    void whatIsUsedForHalfAMinuteCounts() {
        assertThat(reports(memory, 4000, 3000, 5000, 3000, 4000)).isEmpty();
        assertThat(reports(memory, 3100)).isEqualTo(Map.of(ID, Memory.ofMib(3072)));
        assertThat(reports(memory, 3100, 3100, 3100)).isEqualTo(Map.of(ID, Memory.ofMib(3072)));
        assertThat(reports(memory, 3100)).isEqualTo(Map.of(ID, Memory.ofMib(3328)));
        assertThat(reports(memory, 100)).isEmpty();
    }

    @Test
    void aCardThatDoesNotRespondKeepsWhatItHadAndOneThatIsGoneIsForgotten() {
        reports(memory, 1024, 1024, 1024, 1024, 1024, 1024);
        assertThat(memory.next(NodeUsage.NONE, List.of(CARD))).isEqualTo(Map.of(ID, Memory.ofGib(1)));
        assertThat(memory.next(NodeUsage.NONE, List.of())).isEmpty();
        assertThat(memory.next(NodeUsage.NONE, List.of(CARD))).isEmpty();
    }

    @Test
    void anEndedPodsMemoryCountsAtOnceWhereNewPodsCanHaveTheRest() {
        NodeUsage ended = usage(new NodeUsage.Foreign(ID, Optional.empty(), Optional.of("uid")), 2048);
        assertThat(memory.next(ended, List.of(CARD))).isEqualTo(Map.of(ID, Memory.ofGib(2)));
        ForeignMemory closing = new ForeignMemory(false);
        assertThat(closing.next(ended, List.of(CARD))).isEmpty();
    }

    @Test
    void whatIsKeptForDriverAndIsolationComesFirst() {
        Card kept = CARD.withIsolation(CardIsolation.of(Isolation.MPS).withHeadroom(Memory.ofMib(600)));
        Map<CardId, Memory> last = Map.of();
        for (int i = 0; i < REPORTS; i++) {
            last = memory.next(usage(foreign(), 1100), List.of(kept));
        }
        assertThat(last).isEqualTo(Map.of(ID, Memory.ofMib(512)));
    }

    private static Map<CardId, Memory> reports(ForeignMemory memory, int... mib) {
        Map<CardId, Memory> last = Map.of();
        for (int each : mib) {
            last = memory.next(usage(foreign(), each), List.of(CARD));
        }
        return last;
    }

    private static NodeUsage.Foreign foreign() {
        return new NodeUsage.Foreign(ID, Optional.empty());
    }

    private static NodeUsage usage(NodeUsage.Foreign who, int mib) {
        CardUtilization responds = new CardUtilization(
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty());
        return new NodeUsage(
                new CardUsages(Instant.EPOCH, Map.of(ID, responds)),
                Optional.of(Map.of()),
                Map.of(who, Memory.ofMib(mib).bytes()));
    }
}
