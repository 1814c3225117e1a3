package io.gpushare.simulation;

import io.gpushare.extender.ExtenderMain;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.options.OptionParser;
import java.util.Arrays;
import java.util.Map;
import picocli.CommandLine;

/** The program of the extender's image: the command {@code simulate}, or the extender, which does not know it. */
public final class Main {
    private static final int INVALID_OPTIONS = 2;

    private Main() {}

    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("simulate")) {
            System.exit(simulate(Arrays.copyOfRange(args, 1, args.length)));
        }
        ExtenderMain.main(args);
    }

    private static int simulate(String[] args) {
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
