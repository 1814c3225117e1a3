package io.gpushare.extender.program;

import io.gpushare.simulation.Simulation;
import java.util.Arrays;

/** The program of the extender's image: the command {@code simulate}, or the extender, which does not know it. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("simulate")) {
            System.exit(Simulation.run(Arrays.copyOfRange(args, 1, args.length)));
        }
        ExtenderMain.main(args);
    }
}
