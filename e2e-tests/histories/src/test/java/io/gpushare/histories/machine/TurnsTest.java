package io.gpushare.histories.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Turns turns = new Turns(1);
    private final SimulatedMachine machine = turns.machine("m");
    private final List<String> story = new ArrayList<>();

    private void tell(String what) {
        story.add(turns.time().toSeconds() + " " + what);
    }

    /** A body that may be interrupted. */
    private interface Body {
        void run() throws Exception;
    }

    private void start(String name, Body body) {
        machine.start(name, () -> {
            try {
                body.run();
            } catch (Exception e) {
                tell(name + " " + e.getClass().getSimpleName());
            }
        });
    }

    /** Others have their turns. */
    private static void rest(SimulatedMachine machine) {
        try {
            machine.pause(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> order(long seed) {
        Turns turns = new Turns(seed);
        SimulatedMachine machine = turns.machine("m");
        List<String> order = new ArrayList<>();
        ReentrantLock lock = new ReentrantLock();
        for (int i = 0; i < 5; i++) {
            String name = "t" + i;
            machine.start(name, () -> {
                for (int round = 0; round < 5; round++) {
                    lock.lock();
                    try {
                        order.add(name);
                    } finally {
                        lock.unlock();
                    }
                    rest(machine);
                }
            });
        }
        turns.run(MINUTE);
        return order;
    }

    @Test
    void aSeedGivesOneOrder() {
        assertThat(order(7)).hasSize(25).isEqualTo(order(7)).isNotEqualTo(order(8));
    }

    @Test
    void timePassesWhereNobodyCanRun() {
        start("one", () -> {
            machine.pause(Duration.ofSeconds(20));
            tell("one");
        });
        start("other", () -> {
            machine.pause(Duration.ofSeconds(10));
            tell("other");
        });
        turns.run(Duration.ofSeconds(15));
        assertThat(story).containsExactly("10 other");
        turns.run(Duration.ofSeconds(15));
        assertThat(story).containsExactly("10 other", "20 one");
        assertThat(turns.time()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aThreadIsOnTheMachineThatMadeIt() {
        start(
                "first",
                () -> Machine.here()
                        .thread("second", () -> tell(String.valueOf(Machine.here() == machine)))
                        .start());
        turns.run(MINUTE);
        assertThat(story).containsExactly("0 true");
    }

    @Test
    void aWaitEndsByItselfOrByItsLimit() {
        Semaphore permits = new Semaphore(0);
        CompletableFuture<String> result = new CompletableFuture<>();
        start("in time", () -> tell("acquired " + machine.acquire(permits, Duration.ofSeconds(30))));
        start("gives", () -> {
            machine.pause(Duration.ofSeconds(5));
            permits.release();
        });
        start("late", () -> {
            machine.pause(Duration.ofSeconds(10));
            tell("acquired " + machine.acquire(permits, Duration.ofSeconds(2)));
            try {
                machine.get(result, Duration.ofSeconds(3));
            } catch (TimeoutException e) {
                tell("no result");
            }
            // The limit that ended the wait interrupts nothing later.
            machine.pause(Duration.ofSeconds(1));
            tell("goes on");
        });
        turns.run(MINUTE);
        assertThat(story).containsExactly("5 acquired true", "12 acquired false", "15 no result", "16 goes on");
    }

    @Test
    void aWaitIsInterrupted() {
        Thread waiting = machine.thread("waiting", () -> {
            try {
                machine.acquire(new Semaphore(0), Duration.ofSeconds(30));
            } catch (InterruptedException e) {
                tell("interrupted");
            }
        });
        waiting.start();
        start("interrupts", () -> {
            machine.pause(Duration.ofSeconds(3));
            waiting.interrupt();
            tell("ended " + machine.join(waiting, Duration.ofSeconds(1)));
        });
        turns.run(MINUTE);
        assertThat(story).containsExactly("3 interrupted", "3 ended true");
    }

    @Test
    void nothingOfAKilledMachineRuns() {
        start(
                "rounds",
                () -> PeriodicTask.rounds("round", Duration.ofSeconds(10), () -> tell("round"))
                        .start());
        turns.run(Duration.ofSeconds(15));
        machine.kill();
        turns.run(MINUTE);
        assertThat(story).containsExactly("0 round", "10 round");
    }

    @Test
    void aPausedMachineRunsLater() {
        start(
                "rounds",
                () -> PeriodicTask.rounds("round", Duration.ofSeconds(10), () -> tell("round"))
                        .start());
        turns.run(Duration.ofSeconds(5));
        machine.pauseFor(Duration.ofSeconds(30));
        turns.run(Duration.ofSeconds(40));
        assertThat(story).containsExactly("0 round", "35 round", "45 round");
    }

    @Test
    void aMonitorIsWaitedForByAThreadOfTheJdk() {
        Object monitor = new Object();
        start("holds", () -> {
            synchronized (monitor) {
                machine.pause(Duration.ofSeconds(10));
                tell("holds");
            }
        });
        start("wants", () -> {
            machine.pause(Duration.ofSeconds(1));
            synchronized (monitor) {
                tell("has");
            }
        });
        turns.run(MINUTE);
        assertThat(story).containsExactly("10 holds", "10 has");
    }

    @Test
    void aThreadThatFailsIsReported() {
        machine.onFailure((thread, failure) -> tell(thread.getName() + " " + failure.getMessage()));
        machine.start("bad", () -> {
            throw new IllegalStateException("on purpose");
        });
        turns.run(MINUTE);
        assertThat(story).containsExactly("0 m/bad on purpose");
    }
}
