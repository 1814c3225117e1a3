package io.gpushare.mps;

import io.gpushare.program.ProgramProcess;
import java.util.List;

/** Starts the supervisor of MPS as a process. */
public final class SupervisorMain {
    private SupervisorMain() {}

    public static void main(String[] args) {
        ProgramProcess.exitWith(SupervisorProgram.start(List.of(args), System.getenv()));
    }
}
