package io.gpushare.extender.program;

import io.gpushare.program.ProgramProcess;
import io.gpushare.time.Clocks;
import java.util.List;

/** Starts the extender as a process. */
public final class ExtenderMain {
    private ExtenderMain() {}

    public static void main(String[] args) {
        ProgramProcess.exitWith(ExtenderProgram.start(List.of(args), System.getenv(), Clocks.system()));
    }
}
