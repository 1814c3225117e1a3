package io.gpushare.plugin;

import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.options.OptionParser;
import io.gpushare.plugin.kubelet.OtherPlugins;
import io.gpushare.plugin.offer.NodeLock;
import io.gpushare.time.Clocks;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * Starts the device plugin; exits with 0 after SIGTERM, with 1 after a failure, with 2 if options are invalid, with 3
 * if another version of the driver was loaded.
 */
public final class PluginMain {
    static final int FAILED = 1;
    static final int INVALID_OPTIONS = 2;
    static final int DRIVER_REPLACED = 3;

    private static final Logger LOG = LoggerFactory.getLogger(PluginMain.class);

    private PluginMain() {}

    public static void main(String[] args) {
        int code = run(args, Clocks.system());
        // Returning is not enough: threads of the clients may still run.
        System.exit(code);
    }

    static int run(String[] args, Clocks clocks) {
        PluginOptions options = new PluginOptions();
        EnvironmentDefaults environment = PluginOptions.environment(System.getenv());
        OptionParser parser = options.parser(environment);
        GpushareFlags flags = GpushareFlags.of(args);
        try {
            if (CommandLine.printHelpIfRequested(parser.parse(flags.left().toArray(String[]::new)))) {
                return 0;
            }
        } catch (InvalidOptionsException e) {
            System.err.println(e.getMessage());
            System.err.println("device-plugin --help lists every flag.");
            return INVALID_OPTIONS;
        }
        LOG.info("gpushare device-plugin {} {}", PluginOptions.Version.number(), parser.inForce());
        environment.notices().forEach(LOG::warn);
        flags.notices().forEach(LOG::warn);
        return run(options, clocks);
    }

    private static int run(PluginOptions options, Clocks clocks) {
        CompletableFuture<Integer> exit = new CompletableFuture<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            LOG.error("thread {} failed, the plugin exits", thread.getName(), e);
            exit.complete(FAILED);
        });
        AtomicBoolean stopping = new AtomicBoolean();
        AtomicReference<@Nullable RunningPlugin> started = new AtomicReference<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> onSignal(started.get(), stopping), "shutdown"));
        try (NodeLock _ = lock(options)) {
            new OtherPlugins(options.kubeletDir.resolve("device-plugins"), options.cluster.resources()).awaitEnd();
            return run(options, exit, clocks, started);
        } catch (InterruptedException e) {
            return FAILED;
        } catch (IOException | IllegalArgumentException e) {
            LOG.error("{}", e.getMessage());
            return INVALID_OPTIONS;
        } catch (RuntimeException e) {
            LOG.error("the plugin can't start", e);
            return FAILED;
        } finally {
            // The exit code is this method's, not the one of a signal.
            stopping.set(true);
        }
    }

    private static NodeLock lock(PluginOptions options) throws IOException, InterruptedException {
        if (options.serve == ServeMode.DRA) {
            Files.createDirectories(options.driverDir());
            Files.write(options.servedClaims(), new byte[0]);
        }
        return NodeLock.await(
                options.driverDir(),
                "%s of pod %s, process %d"
                        .formatted(
                                options.serve,
                                System.getenv().getOrDefault("HOSTNAME", "unknown"),
                                ProcessHandle.current().pid()));
    }

    private static int run(
            PluginOptions options,
            CompletableFuture<Integer> exit,
            Clocks clocks,
            AtomicReference<@Nullable RunningPlugin> started)
            throws IOException, InterruptedException {
        try (RunningPlugin plugin = options.serve == ServeMode.DRA
                ? new ClaimsPlugin(options, exit, clocks)
                : new Plugin(options, exit, clocks)) {
            started.set(plugin);
            int code = exit.join();
            if (code == DRIVER_REPLACED) {
                plugin.leave();
            }
            return code;
        }
    }

    /** Exits with 0: the JVM's own exit code after SIGTERM is 143, which Kubernetes reports as a failure. */
    private static void onSignal(@Nullable RunningPlugin plugin, AtomicBoolean stopping) {
        if (stopping.compareAndSet(false, true)) {
            LOG.info("stopping");
            if (plugin != null) {
                end(plugin);
            }
            Runtime.getRuntime().halt(0);
        }
    }

    private static void end(RunningPlugin plugin) {
        try {
            plugin.leave();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        plugin.close();
    }
}
