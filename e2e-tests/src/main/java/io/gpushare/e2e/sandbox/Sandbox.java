package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.program.RecordedImages;
import io.gpushare.e2e.sandbox.workload.Workload;
import io.gpushare.simulated.patience.Patience;
import java.io.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
    // Those that have a device plugin and a kubelet.
    private static final int REAL = SandboxNode.ALL.size() + 1;
    private static final Duration READY = Duration.ofSeconds(150);
    private static final Duration ROUND = Duration.ofSeconds(100);
    private static final Duration STOPPING = Duration.ofMillis(500);

    @Option(names = "--once", description = "Run the workload once to its end, check it, and exit 0 or 1.")
    private boolean once;

    @Option(
            names = "--nodes",
            defaultValue = "5",
            description =
                    "Number of nodes, 5 to 5000 (default 5), of which one serves claims. Those beyond 5 have cards and"
                            + " pods, but no plugin.")
    private int nodes;

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

    @Option(
            names = "--record",
            paramLabel = "IMAGES",
            description = "As --once, with the extender and a plugin from the image files in this folder. Their JVMs"
                    + " record for AOT caches, in its folder record/files.")
    private @Nullable Path images;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Sandbox()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        once |= images != null;
        if (nodes < REAL || nodes > 5000 || (once && nodes > REAL)) {
            System.err.println("--nodes is a number from 5 to 5000, and 5 with --once");
            return 2;
        }
        Path folder = Files.createTempDirectory(Path.of("/tmp"), "gpushare-");
        if (images != null) {
            // The extender of the image is another user.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        boolean terminal =
                Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false) && !once;
        TerminalView screen = new TerminalView(System.out, terminal, InstantSource.system());
        screen.line("sockets, cards and logs are in " + folder + ", removed at the end if no check fails");
        Path checkout = repository.toAbsolutePath().normalize();
        int code;
        RecordedImages recorded = images == null
                ? null
                : new RecordedImages(checkout, images.toAbsolutePath().normalize());
        try (SandboxCluster sandbox =
                new SandboxCluster(checkout, folder, extenderPort, SandboxCluster.Programs.PROCESSES, recorded)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(sandbox, folder), "stop"));
            code = run(sandbox, screen, folder);
        }
        if (code == 0 && once) {
            remove(folder);
        }
        return code;
    }

    /** On Ctrl-C: stops everything and removes all files. */
    private void stop(SandboxCluster sandbox, Path folder) {
        boolean early = !sandbox.stopping();
        sandbox.close();
        if (early) {
            try {
                remove(folder);
                System.out.println("\nThe sandbox has stopped and left nothing behind.");
            } catch (IOException | UncheckedIOException e) {
                System.out.println("\nThe sandbox has stopped; remove " + folder + ": " + e.getMessage());
            }
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private int run(SandboxCluster sandbox, TerminalView screen, Path folder) throws InterruptedException {
        try {
            sandbox.start(SandboxNode.ALL);
            sandbox.startServingClaims(SandboxNode.CLAIMS);
            awaitNodes(sandbox, screen);
            if (nodes > REAL) {
                sandbox.draw(nodes - REAL);
                screen.line(nodes + " nodes, of which " + REAL + " have a device plugin and a kubelet");
            }
            return once ? runOnce(sandbox, screen, folder) : runUntilStopped(sandbox, screen, folder);
        } catch (IOException e) {
            // Ctrl-C ends the programs too, maybe before this one.
            Thread.sleep(STOPPING);
            if (!sandbox.stopping()) {
                System.err.println("FAILED: " + e.getMessage());
            }
            return 1;
        }
    }

    private static void awaitNodes(SandboxCluster sandbox, TerminalView screen)
            throws IOException, InterruptedException {
        screen.line("starting the extender and " + REAL + " device plugins, of which one serves claims");
        Instant deadline = Instant.now().plus(Patience.of(READY));
        while (!sandbox.ready(SandboxNode.ALL.size())) {
            sandbox.checkPrograms();
            if (Instant.now().isAfter(deadline)) {
                throw new IOException(
                        "not every node offers its cards, or the" + " extender is not ready: see the logs");
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
            CardReport usage = round.run(Workload.round(), Instant.now().plus(Patience.of(ROUND)));
            checks.check(usage.mixed(), "no node had shared and whole cards, or no card was shared at once");
            isolation(sandbox, screen, checks);
            claims(sandbox, screen, checks);
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

    private static void claims(SandboxCluster sandbox, TerminalView screen, Checks checks)
            throws IOException, InterruptedException {
        try (ClaimingPods pods = new ClaimingPods(sandbox, screen, checks)) {
            pods.run();
        }
    }

    /** Runs until Ctrl-C or until a check fails. */
    private static int runUntilStopped(SandboxCluster sandbox, TerminalView screen, Path folder)
            throws IOException, InterruptedException {
        // A user's pods would take the cards on which these rely.
        screen.line("checking isolation and claims, for about half a minute; then the cards are yours");
        Checks tenants = new Checks();
        isolation(sandbox, screen, tenants);
        claims(sandbox, screen, tenants);
        sandbox.showPlugins();
        screen.head(Guide.text(sandbox.extender().resolve("/ui/"), folder));
        Checks checks = tenants.failures().isEmpty() ? new Playground(sandbox, screen).run() : tenants;
        checks.failures().forEach(failure -> System.out.println("  - " + failure));
        return checks.failures().isEmpty() ? 0 : 1;
    }
}
