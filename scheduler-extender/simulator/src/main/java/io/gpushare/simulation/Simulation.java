package io.gpushare.simulation;

import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.options.OptionParser;
import java.util.Map;
import picocli.CommandLine;

/** The command {@code simulate} of the program scheduler-extender. */
public final class Simulation {
    private static final int INVALID_OPTIONS = 2;

    private Simulation() {}

    /** Runs it and returns the exit status. */
    public static int run(String[] args) {
        SimulateCommand simulate = new SimulateCommand();
        try {
            if (CommandLine.printHelpIfRequested(
                    new OptionParser(simulate, new EnvironmentDefaults(Map.of())).parse(args))) {
                return 0;
            }
        } catch (InvalidOptionsException e) {
            System.err.println(e.getMessage());
            System.err.println("Try simulate --help.");
            return INVALID_OPTIONS;
        }
        System.setProperty("gpushare.log.level", "WARN"); // read by logback.xml
        return simulate.run(System.out, System.err);
    }
}
