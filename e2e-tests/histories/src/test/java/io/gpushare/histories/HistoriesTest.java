package io.gpushare.histories;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoriesTest {
    private static final long FIRST = Long.getLong("gpushare.seed", 1);
    private static final int NUMBER = Integer.getInteger("gpushare.histories", 20);

    private static History.Outcome run(long seed, Path folder) throws IOException {
        return History.run(seed, History.Size.USUAL, Files.createTempDirectory(folder, "h"));
    }

    @Test
    void theSameSeedGivesTheSameHistory(@TempDir Path folder) throws IOException {
        History.Outcome once = run(FIRST, folder);
        History.Outcome again = run(FIRST, folder);
        assertThat(again.story()).isEqualTo(once.story());
        assertThat(again.digest()).isEqualTo(once.digest());
    }

    @Test
    void nothingIsViolatedInAnyHistory(@TempDir Path folder) throws IOException {
        long began = System.nanoTime();
        Duration simulated = Duration.ZERO;
        long parts = 0;
        List<Long> bad = new ArrayList<>();
        for (long seed = FIRST; seed < FIRST + NUMBER; seed++) {
            History.Outcome outcome = run(seed, folder);
            simulated = simulated.plus(outcome.time());
            parts += outcome.parts();
            if (!outcome.violations().isEmpty()) {
                bad.add(seed);
                outcome.violations().forEach(System.out::println);
                outcome.story().forEach(line -> System.out.println("  " + line));
            }
        }
        System.out.printf(
                "histories: %d from seed %d, %.1f simulated hours and %,d parts of threads in %.1f s%n",
                NUMBER, FIRST, simulated.toMinutes() / 60.0, parts, (System.nanoTime() - began) / 1e9);
        assertThat(bad).as("seeds of histories in which something was violated").isEmpty();
    }
}
