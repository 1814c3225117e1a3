package io.gpushare.mps.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.mps.link.Phase;
import io.gpushare.mps.machine.Observation.Mode;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CardMachineTest {
    private static final Wish FOUR_GIB = new Wish(true, 4096);

    private final SimulatedCard card = new SimulatedCard(Mode.ANY);
    private Instant now = Instant.EPOCH;
    private CardMachine machine = CardMachine.starting(now);

    @Test
    void theComputeModeFollowsThePods() {
        turns(Wish.OFF, 3);
        assertThat(machine.phase()).isEqualTo(Phase.OFF);
        turns(FOUR_GIB, 6);
        assertThat(machine.phase()).isEqualTo(Phase.READY);
        assertThat(card.mode).isEqualTo(Mode.SERVER_ONLY);
        assertThat(card.limit).isEqualTo(4096);
        turns(Wish.OFF, 4);
        assertThat(machine.phase()).isEqualTo(Phase.OFF);
        assertThat(card.mode).isEqualTo(Mode.ANY);
    }

    @Test
    void whileClientsAreLeftTheCardIsNotGivenBack() {
        turns(FOUR_GIB, 6);
        card.clients = 1;
        turns(Wish.OFF, 100);
        assertThat(machine.phase()).isEqualTo(Phase.READY);
        card.clients = 0;
        turns(Wish.OFF, 4);
        assertThat(machine.phase()).isEqualTo(Phase.OFF);
    }

    @Test
    void aFaultThatLastsEndsTheServer() {
        turns(FOUR_GIB, 6);
        card.clients = 2;
        card.fault = true;
        turns(FOUR_GIB, 2);
        assertThat(machine.phase()).isEqualTo(Phase.FAULTED);
        turns(FOUR_GIB, 58);
        assertThat(card.server).isTrue();
        turns(FOUR_GIB, 10);
        assertThat(machine.phase()).isEqualTo(Phase.READY);
        assertThat(card.clients).isZero();
    }

    @Test
    void aDaemonThatCannotBeStartedBreaksTheCardAndIsTriedAgainLater() {
        card.daemonFails = true;
        turns(FOUR_GIB, 240);
        assertThat(machine.phase()).isEqualTo(Phase.BROKEN);
        assertThat(machine.why()).contains("MPS failed 5 times in ten minutes, at last: MPS did not start within 30 s");
        assertThat(card.mode).isEqualTo(Mode.NONE);
        card.daemonFails = false;
        turns(FOUR_GIB, 600);
        assertThat(machine.phase()).isEqualTo(Phase.READY);
    }

    @Test
    void aForeignProcessOnTheCardIsNamed() {
        card.foreignProcess = true;
        turns(FOUR_GIB, 4);
        assertThat(machine.phase()).isEqualTo(Phase.BROKEN);
        assertThat(machine.why()).isEqualTo("a process computes without MPS");
        card.foreignProcess = false;
        turns(FOUR_GIB, 7);
        assertThat(machine.phase()).isEqualTo(Phase.READY);
    }

    @Test
    void aLostCardIsServedAgainWhenItIsBack() {
        turns(FOUR_GIB, 6);
        card.responds = false;
        turns(FOUR_GIB, 3);
        assertThat(machine.phase()).isEqualTo(Phase.BROKEN);
        assertThat(card.daemon).isFalse();
        card.responds = true;
        turns(FOUR_GIB, 8);
        assertThat(machine.phase()).isEqualTo(Phase.READY);
    }

    @Test
    void aReadingThatFailsOnceEndsNoClient() {
        turns(FOUR_GIB, 6);
        for (int i = 0; i < 5; i++) {
            card.responds = false;
            turns(FOUR_GIB, 2);
            card.responds = true;
            turns(FOUR_GIB, 1);
            assertThat(machine.phase()).isEqualTo(Phase.READY);
            assertThat(card.daemon).isTrue();
        }
    }

    private void turns(Wish wish, int count) {
        for (int i = 0; i < count; i++) {
            now = now.plus(Duration.ofSeconds(1));
            CardMachine.Step step = machine.step(wish.on(), card.seen(wish), now);
            step.actions().forEach(action -> card.apply(action, wish));
            machine = step.next();
        }
    }
}
