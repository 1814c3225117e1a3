package io.gpushare.plugin;

import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.options.OptionParser;
import io.gpushare.plugin.allocate.kubelet.OtherPlugins;
import io.gpushare.program.Ending;
import io.gpushare.program.RunningProgram;
import io.gpushare.time.Clocks;
import io.gpushare.time.Deadlines;
import io.gpushare.time.StartedParts;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * The device plugin as a program: it ends with 0 after SIGTERM, with 1 after a failure, with 2 if options are invalid,
 * with 3 if another version of the driver was loaded.
 */
public final class PluginProgram {
    static final int DRIVER_REPLACED = 3;

    private static final Logger LOG = LoggerFactory.getLogger(PluginProgram.class);

    private final Map<String, String> environment;
    private final Clocks clocks;
    private final Deadlines deadlines;
    private final NodeEdges edges;

    private PluginProgram(Map<String, String> environment, Clocks clocks, Deadlines deadlines, NodeEdges edges) {
        this.edges = edges;
        this.environment = Map.copyOf(environment);
        this.clocks = clocks;
        this.deadlines = deadlines;
    }

    /** Starts the plugin; several can run in one process, each with a kubelet of its own. */
    public static RunningProgram start(List<String> arguments, Map<String, String> environment, Clocks clocks) {
        return start(arguments, environment, clocks, Deadlines.USUAL);
    }

    /** The same with other deadlines of its calls. */
    static RunningProgram start(
            List<String> arguments, Map<String, String> environment, Clocks clocks, Deadlines deadlines) {
        PluginProgram program = new PluginProgram(environment, clocks, deadlines, NodeEdges.REAL);
        return RunningProgram.start("the plugin", ending -> program.run(arguments, ending));
    }

    /** Runs the plugin in this thread with other edges, until its end is requested; returns its exit code. */
    public static int run(
            List<String> arguments, Map<String, String> environment, Clocks clocks, NodeEdges edges, Ending ending)
            throws InterruptedException {
        return new PluginProgram(environment, clocks, Deadlines.USUAL, edges).run(arguments, ending);
    }

    private int run(List<String> arguments, Ending ending) throws InterruptedException {
        PluginOptions options = new PluginOptions();
        EnvironmentDefaults defaults = PluginOptions.environment(environment);
        OptionParser parser = options.parser(defaults);
        GpushareFlags flags = GpushareFlags.of(arguments.toArray(String[]::new));
        try {
            if (CommandLine.printHelpIfRequested(parser.parse(flags.left().toArray(String[]::new)))) {
                return Ending.DONE;
            }
        } catch (InvalidOptionsException e) {
            System.err.println(e.getMessage());
            System.err.println("device-plugin --help lists every flag.");
            return Ending.INVALID_OPTIONS;
        }
        LOG.info("gpushare device-plugin {} {}", PluginOptions.Version.number(), parser.inForce());
        defaults.notices().forEach(LOG::warn);
        flags.notices().forEach(LOG::warn);
        return run(options, ending);
    }

    private int run(PluginOptions options, Ending ending) throws InterruptedException {
        try (Closeable _ = lock(options, ending)) {
            new OtherPlugins(options.kubeletDir.resolve("device-plugins"), options.cluster.resources())
                    .awaitEnd(ending);
            return serve(options, ending);
        } catch (InterruptedException e) {
            // The end was requested before it served.
            return ending.await();
        } catch (IOException | IllegalArgumentException e) {
            LOG.error("{}", e.getMessage());
            return Ending.INVALID_OPTIONS;
        } catch (RuntimeException e) {
            LOG.error("the plugin can't start", e);
            return Ending.FAILED;
        }
    }

    private Closeable lock(PluginOptions options, Ending ending) throws IOException, InterruptedException {
        if (options.serve == ServeMode.DRA) {
            Files.createDirectories(options.driverDir());
            Files.write(options.servedClaims(), new byte[0]);
        }
        return edges.lock(
                options.driverDir(),
                "%s of pod %s, process %d"
                        .formatted(
                                options.serve,
                                environment.getOrDefault("HOSTNAME", "unknown"),
                                ProcessHandle.current().pid()),
                ending);
    }

    private int serve(PluginOptions options, Ending ending) throws IOException, InterruptedException {
        try (StartedParts parts = new StartedParts()) {
            Plugin plugin = new Plugin(options, edges, ending, clocks, deadlines, parts);
            int code = ending.await();
            LOG.info("stopping");
            if (code == Ending.DONE || code == DRIVER_REPLACED) {
                plugin.leave();
            }
            return code;
        }
    }
}
