package io.gpushare.e2e.sandbox;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command line of the sandbox; {@code deploy/sandbox/run} starts it. The exit code is 0 if every check held, else
 * 1.
 */
@Command(
        name = "deploy/sandbox/run",
        description = "Runs the real device plugin and scheduler extender on simulated nodes and cards.",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100)
public final class Sandbox implements Callable<Integer> {
    private static final Duration READY = Duration.ofSeconds(150);
    private static final Duration ROUND = Duration.ofSeconds(100);

    @Option(names = "--once", description = "Run the workload once to its end, check it, and exit 0 or 1.")
    private boolean once;

    @Option(
            names = "--extender-port",
            defaultValue = "0",
            description = "Port of the extender on 127.0.0.1; any free one by default.")
    private int extenderPort;

    @Option(
            names = "--repository",
            defaultValue = ".",
            description = "The built checkout; the current directory by default.")
    private Path repository = Path.of(".");

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Sandbox()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(Path.of("/tmp"), "gpushare-");
        boolean terminal =
                Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false) && !once;
        TerminalView screen = new TerminalView(System.out, terminal, InstantSource.system());
        screen.line("sockets, cards and logs are in " + folder + (once ? ", removed if no check fails" : ""));
        Path checkout = repository.toAbsolutePath().normalize();
        int code;
        try (SandboxCluster sandbox = new SandboxCluster(checkout, folder, extenderPort)) {
            Runtime.getRuntime().addShutdownHook(new Thread(sandbox::close, "stop"));
            code = run(sandbox, screen, folder);
        }
        if (code == 0) {
            remove(folder);
        }
        return code;
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private int run(SandboxCluster sandbox, TerminalView screen, Path folder) throws InterruptedException {
        try {
            sandbox.start(SandboxNode.ALL);
            awaitNodes(sandbox, screen);
            return once ? runOnce(sandbox, screen, folder) : runUntilStopped(sandbox, screen, folder);
        } catch (IOException e) {
            if (!sandbox.stopping()) {
                System.err.println("FAILED: " + e.getMessage());
            }
            return 1;
        }
    }

    private static void awaitNodes(SandboxCluster sandbox, TerminalView screen)
            throws IOException, InterruptedException {
        screen.line("starting the extender and " + SandboxNode.ALL.size() + " plugins");
        Instant deadline = Instant.now().plus(READY);
        while (!sandbox.ready(SandboxNode.ALL.size())) {
            sandbox.checkPrograms();
            if (Instant.now().isAfter(deadline)) {
                throw new IOException("after " + READY.toSeconds() + " s not every node offers its cards, or the"
                        + " extender is not ready: see the logs");
            }
            Thread.sleep(Duration.ofMillis(200));
        }
        screen.line("all nodes offer their cards");
        sandbox.metrics().forEach((program, uri) -> screen.line("metrics of " + program + ": " + uri));
    }

    private static int runOnce(SandboxCluster sandbox, TerminalView screen, Path folder)
            throws IOException, InterruptedException {
        Checks checks = new Checks();
        try (WorkloadRun round = new WorkloadRun(sandbox, screen, checks)) {
            CardReport usage = round.run(Workload.round(), Instant.now().plus(ROUND));
            checks.check(usage.mixed(), "no node had shared and whole cards, or no card was shared at once");
            isolation(sandbox, screen, checks);
            System.out.println();
            System.out.println(usage.table());
        }
        if (checks.failures().isEmpty()) {
            System.out.println("OK: " + checks.held() + " checks held for "
                    + Workload.round().size() + " pods");
            return 0;
        }
        System.out.println("FAILED, logs are in " + folder.resolve("logs"));
        checks.failures().forEach(failure -> System.out.println("  - " + failure));
        return 1;
    }

    private static void isolation(SandboxCluster sandbox, TerminalView screen, Checks checks)
            throws IOException, InterruptedException {
        try (GreedyTenant greedy = new GreedyTenant(sandbox, screen, checks)) {
            greedy.run();
        }
    }

    /** Runs rounds until Ctrl-C or until a check fails. */
    private static int runUntilStopped(SandboxCluster sandbox, TerminalView screen, Path folder)
            throws IOException, InterruptedException {
        screen.footer("page: " + sandbox.extender().resolve("/ui/") + "   kubectl gpushare: with KUBECONFIG="
                + folder.resolve("kubeconfig") + "   logs: " + folder.resolve("logs") + "   stop: Ctrl-C");
        Checks checks = new Checks();
        while (checks.failures().isEmpty()) {
            try (WorkloadRun round = new WorkloadRun(sandbox, screen, checks)) {
                round.run(Workload.round(), Instant.now().plus(ROUND));
                round.clear();
                isolation(sandbox, screen, checks);
            }
        }
        checks.failures().forEach(failure -> System.out.println("  - " + failure));
        return 1;
    }
}
