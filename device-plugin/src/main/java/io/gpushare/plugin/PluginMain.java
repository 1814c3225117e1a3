package io.gpushare.plugin;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine;

/** Starts the device plugin and ends it: exit code 0 after SIGTERM, 1 after a failure, 2 when options are wrong. */
public final class PluginMain {
    static final int FAILED = 1;
    static final int WRONG_OPTIONS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(PluginMain.class);

    private PluginMain() {}

    public static void main(String[] args) {
        int code = run(args);
        // Not by returning: the clients' threads may live on.
        System.exit(code);
    }

    private static int run(String[] args) {
        PluginOptions options = new PluginOptions();
        CommandLine line = new CommandLine(options);
        try {
            line.parseArgs(args);
            if (CommandLine.printHelpIfRequested(line.getParseResult())) {
                return 0;
            }
            PluginOptions.Settings settings = options.settings();
            LOG.info("gpushare device-plugin {} {}", PluginOptions.Version.number(), options.shown());
            return run(settings);
        } catch (ParameterException e) {
            PrintWriter error = line.getErr();
            error.println(RetiredFlags.advice(args).orElse(e.getMessage()));
            error.println("device-plugin --help lists every flag.");
            error.flush();
            return WRONG_OPTIONS;
        }
    }

    private static int run(PluginOptions.Settings settings) {
        CompletableFuture<Integer> exit = new CompletableFuture<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            LOG.error("thread {} failed, the program ends", thread.getName(), e);
            exit.complete(FAILED);
        });
        AtomicBoolean ending = new AtomicBoolean();
        try (Plugin plugin = new Plugin(settings, exit)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> onSignal(plugin, ending), "end"));
            int code = exit.join();
            ending.set(true);
            return code;
        } catch (IOException | IllegalArgumentException e) {
            LOG.error("{}", e.getMessage());
            return WRONG_OPTIONS;
        }
    }

    /** A signal's own exit code would be 143, and a program that was asked to end and did is no failure. */
    private static void onSignal(Plugin plugin, AtomicBoolean ending) {
        if (ending.compareAndSet(false, true)) {
            LOG.info("ending");
            plugin.close();
            Runtime.getRuntime().halt(0);
        }
    }
}
