package io.gpushare.mps.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.mps.link.Phase;
import io.gpushare.mps.machine.Observation.Daemon;
import io.gpushare.mps.machine.Observation.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Every order of wishes and faults ends in the state that is wanted, and no step on the way opens the card to
 * bypassers.
 */
class CardMachineProperties {
    private static final Duration TURN = Duration.ofSeconds(1);
    private static final int HEALED_TURNS = 30 * 60;
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final AtomicLong EVENTS = new AtomicLong();

    /** What happens between two turns. */
    enum Event {
        WANT_SMALL,
        WANT_LARGE,
        WANT_NOTHING,
        TURN,
        MINUTES,
        CLIENT_COMES,
        CLIENT_GOES,
        CLIENT_FAULT,
        RECOVERY,
        DAEMON_DIES,
        SERVER_DIES,
        HANG,
        CARD_LOST,
        CARD_BACK,
        FOREIGN_PROCESS,
        FOREIGN_PROCESS_GOES,
        MODE_CHANGED,
        DAEMON_FAILS,
        SUPERVISOR_RESTARTS
    }

    @Provide
    Arbitrary<List<Event>> histories() {
        return Arbitraries.of(Event.class).list().ofMinSize(1).ofMaxSize(60);
    }

    @Property(tries = 5000)
    void everyHistoryEndsInTheStateThatIsWanted(@ForAll("histories") List<Event> history) {
        endsInTheStateThatIsWanted(new Run(Mode.ANY), history);
    }

    /** Its compute mode can't be set. */
    @Property(tries = 2000)
    void everyHistoryOfAMigInstanceDoesToo(@ForAll("histories") List<Event> history) {
        endsInTheStateThatIsWanted(new Run(Mode.NOT_AVAILABLE), history);
    }

    private static void endsInTheStateThatIsWanted(Run run, List<Event> history) {
        history.forEach(run::happen);
        run.card.heal();
        run.turns(HEALED_TURNS);
        assertThat(run.machine.phase()).isEqualTo(run.wish.on() ? Phase.READY : Phase.OFF);

        run.wish = new Wish(true, 4096);
        run.turns(HEALED_TURNS);
        assertThat(run.machine.phase()).isEqualTo(Phase.READY);
        assertThat(run.card.limit).isEqualTo(4096);

        run.wish = Wish.OFF;
        run.turns(120);
        assertThat(run.machine.phase()).isEqualTo(Phase.OFF);
        assertThat(run.card.mode).isEqualTo(run.open);
        HISTORIES.incrementAndGet();
        EVENTS.addAndGet(history.size());
    }

    @AfterContainer
    static void print() {
        System.out.println("MPS histories: " + HISTORIES + " with " + EVENTS + " events, 0 violations");
    }

    /** One card, its machine, and the rules that hold in every turn. */
    private static final class Run {
        final Mode open;
        final Mode restricted;
        final SimulatedCard card;
        Instant now = Instant.EPOCH;
        Wish wish = Wish.OFF;
        CardMachine machine = CardMachine.starting(now);

        Run(Mode open) {
            this.open = open;
            restricted = open == Mode.ANY ? Mode.SERVER_ONLY : open;
            card = new SimulatedCard(open);
        }

        void happen(Event event) {
            switch (event) {
                case WANT_SMALL -> wish = new Wish(true, 2048);
                case WANT_LARGE -> wish = new Wish(true, 8192);
                case WANT_NOTHING -> {
                    // The plugin wants nothing only when the pods are gone, and their processes with them.
                    wish = Wish.OFF;
                    card.clients = 0;
                }
                case TURN -> turns(1);
                case MINUTES -> turns(180);
                case CLIENT_COMES -> card.clients += card.server && !card.fault ? 1 : 0;
                case CLIENT_GOES -> card.clients = Math.max(0, card.clients - 1);
                case CLIENT_FAULT -> card.fault = card.server && card.clients > 0;
                case RECOVERY -> card.fault = false;
                case DAEMON_DIES -> {
                    card.daemon = false;
                    card.server = false;
                    card.clients = 0;
                }
                case SERVER_DIES -> {
                    card.server = false;
                    card.clients = 0;
                }
                case HANG -> card.hangs = card.daemon;
                case CARD_LOST -> card.responds = false;
                case CARD_BACK -> card.responds = true;
                case FOREIGN_PROCESS -> card.foreignProcess = true;
                case FOREIGN_PROCESS_GOES -> card.foreignProcess = false;
                case MODE_CHANGED -> card.mode = open;
                case DAEMON_FAILS -> card.daemonFails = !card.daemonFails;
                case SUPERVISOR_RESTARTS -> machine = CardMachine.starting(now);
            }
        }

        void turns(int count) {
            for (int i = 0; i < count; i++) {
                now = now.plus(TURN);
                turn();
            }
        }

        private void turn() {
            Observation seen = card.seen(wish);
            CardMachine.Step step = machine.step(wish.on(), seen, now);
            check(seen, step);
            step.actions().forEach(action -> card.apply(action, wish));
            machine = step.next();
        }

        private void check(Observation seen, CardMachine.Step step) {
            Phase phase = step.next().phase();
            boolean reached = phase != machine.phase() || step.actions().isEmpty();
            if (phase == Phase.READY && machine.phase() != Phase.READY) {
                assertThat(seen.mode()).isEqualTo(restricted);
                assertThat(seen.server())
                        .hasValueSatisfying(
                                server -> assertThat(server.limited()).isTrue());
            }
            if (phase == Phase.OFF && reached) {
                assertThat(seen.mode()).isEqualTo(open);
                assertThat(seen.daemon()).isEqualTo(Daemon.ABSENT);
            }
            if (step.actions().contains(Action.START_DAEMON)) {
                assertThat(seen.mode()).isEqualTo(restricted);
                assertThat(seen.daemon()).isEqualTo(Daemon.ABSENT);
                assertThat(seen.impossible()).isEmpty();
            }
            if (wish.on()) {
                assertThat(step.actions()).doesNotContain(Action.ALLOW_ANY);
            }
            assertThat(step.next().failures().size()).isLessThanOrEqualTo(5);
        }
    }
}
