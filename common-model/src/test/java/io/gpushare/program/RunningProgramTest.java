package io.gpushare.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RunningProgramTest {
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void aPlannedEndIsRequestedAndTheExitCodeComesAfterEverythingIsClosed() {
        CountDownLatch closed = new CountDownLatch(1);
        RunningProgram program = RunningProgram.start("a program", ending -> {
            int code = ending.await();
            closed.countDown();
            return code;
        });
        assertThat(program.exit()).isNotDone();
        program.terminate();
        assertThat(program.exit().join()).isEqualTo(Ending.DONE);
        assertThat(closed.getCount()).isZero();
    }

    @Test
    void theFirstRequestGivesTheExitCode() {
        RunningProgram program = RunningProgram.start("a program", ending -> {
            ending.request(Ending.INVALID_OPTIONS);
            return ending.await();
        });
        program.terminate();
        assertThat(program.exit().join()).isIn(Ending.INVALID_OPTIONS, Ending.DONE);
        program.fail();
        assertThat(program.exit().join()).isNotEqualTo(Ending.FAILED);
    }

    @Test
    void aThreadThatFailsEndsItsProgramAndNoOther() {
        RunningProgram other = RunningProgram.start("another program", Ending::await);
        RunningProgram failing = RunningProgram.start("a program", ending -> {
            Thread.ofPlatform()
                    .start(() -> Thread.ofPlatform().start(() -> {
                        throw new IllegalStateException("expected by the test");
                    }));
            return ending.await();
        });
        assertThat(failing.exit().join()).isEqualTo(Ending.FAILED);
        assertThat(other.exit()).isNotDone();
        other.terminate();
        assertThat(other.exit().join()).isEqualTo(Ending.DONE);
    }

    @Test
    void aProgramThatCantStartHasFailed() {
        RunningProgram program = RunningProgram.start("a program", _ -> {
            throw new IllegalStateException("expected by the test");
        });
        assertThat(program.exit().join()).isEqualTo(Ending.FAILED);
    }

    @Test
    void theEndInterruptsAPauseOfTheStart() {
        RunningProgram program = RunningProgram.start("a program", ending -> {
            try {
                while (true) {
                    ending.pause(LONG);
                }
            } catch (InterruptedException e) {
                return ending.await();
            }
        });
        program.terminate();
        assertThat(program.exit().join()).isEqualTo(Ending.DONE);
    }
}
