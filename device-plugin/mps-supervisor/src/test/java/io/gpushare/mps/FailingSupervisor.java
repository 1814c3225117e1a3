package io.gpushare.mps;

import io.gpushare.program.ProgramProcess;
import io.gpushare.program.RunningProgram;

/** A supervisor that fails at once. */
final class FailingSupervisor {
    private FailingSupervisor() {}

    public static void main(String[] args) {
        ProgramProcess.exitWith(RunningProgram.start(
                "the supervisor",
                ending -> SupervisorProgram.serve(
                        () -> {
                            throw new IllegalStateException("the failure of a test");
                        },
                        () -> System.out.println("stopped"),
                        ending)));
    }
}
