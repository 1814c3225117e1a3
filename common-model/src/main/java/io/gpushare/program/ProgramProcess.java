package io.gpushare.program;

/** Makes a program the process: its exit code is the process's, and signals end it. */
public final class ProgramProcess {
    private ProgramProcess() {}

    /**
     * Waits for the program's end, and exits with its code: with 0 after SIGTERM, where the JVM's own code would be
     * 143, which Kubernetes reports as a failure. It never returns.
     */
    public static void exitWith(RunningProgram program) {
        // For threads that libraries share between the programs of a process.
        Thread.setDefaultUncaughtExceptionHandler(program::failed);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> onExit(program), "shutdown"));
        // Returning is not enough: threads of libraries may still run.
        System.exit(program.exit().join());
    }

    private static void onExit(RunningProgram program) {
        if (!program.exit().isDone()) {
            program.terminate();
            Runtime.getRuntime().halt(program.exit().join());
        }
    }
}
