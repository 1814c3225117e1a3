package io.gpushare.histories;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code -Dgpushare.seed} is the first seed, and {@code -Dgpushare.histories} the number of histories. */
class HistoriesTest {
    private static final long FIRST = Long.getLong("gpushare.seed", 1);
    private static final int NUMBER = Integer.getInteger("gpushare.histories", 12);
    private static final int TRIES = 60;

    @TempDir
    private Path folder;

    private History.Outcome run(Plan plan) {
        try {
            return History.run(plan, Files.createTempDirectory(folder, "h"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Each run has a folder of its own, as on another machine. */
    @RepeatedTest(3)
    void theSameSeedGivesTheSameHistory(RepetitionInfo repetition) {
        Plan plan = Plan.of(FIRST + repetition.getCurrentRepetition() - 1, Plan.Size.USUAL);
        History.Outcome once = run(plan);
        History.Outcome again = run(plan);
        assertThat(again.story()).isEqualTo(once.story());
        assertThat(again.digest()).isEqualTo(once.digest());
    }

    @Test
    void nothingIsViolatedInAnyHistory() {
        long began = System.nanoTime();
        Duration simulated = Duration.ZERO;
        long parts = 0;
        List<Long> bad = new ArrayList<>();
        for (long seed = FIRST; seed < FIRST + NUMBER; seed++) {
            Plan plan = Plan.of(seed, Plan.Size.USUAL);
            History.Outcome outcome = run(plan);
            simulated = simulated.plus(outcome.time());
            parts += outcome.parts();
            if (!outcome.violations().isEmpty()) {
                bad.add(seed);
                show(plan, outcome);
            }
        }
        System.out.printf(
                "histories: %d from seed %d, %.1f simulated hours and %,d parts of threads in %.1f s%n",
                NUMBER, FIRST, simulated.toMinutes() / 60.0, parts, (System.nanoTime() - began) / 1e9);
        assertThat(bad).as("seeds of histories in which something was violated").isEmpty();
    }

    /** Prints what is violated, and the shortest history in which something is. */
    private void show(Plan plan, History.Outcome outcome) {
        System.out.println("history " + plan.seed() + ":");
        outcome.violations().forEach(violation -> System.out.println("  violated: " + violation));
        Plan shortest = new Shortest(shorter -> !run(shorter).violations().isEmpty(), TRIES).of(plan);
        System.out.println("  the shortest plan with a violation: " + shortest.nodes());
        shortest.events().forEach(event -> System.out.println("    " + event));
        History.Outcome what = run(shortest);
        what.violations().forEach(violation -> System.out.println("  violated: " + violation));
        what.story().forEach(line -> System.out.println("    " + line));
    }
}
