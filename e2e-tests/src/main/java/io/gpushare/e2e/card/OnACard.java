package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.SkippedException;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command line; {@code e2e-tests/on-a-card/run} starts it. The exit code is 0 if no part failed, 1 if one did, 2
 * without a card.
 */
@Command(
        name = "on-a-card/run",
        description = "Runs the device plugin and the MPS supervisor on this machine's card and reports what it saw.",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100)
public final class OnACard implements Callable<Integer> {
    private static final int NO_CARD = 2;
    private static final Duration BUDGET = Duration.ofMinutes(8);
    private static final Duration UNWINDING = Duration.ofSeconds(20);

    @Option(names = "--pack", required = true, description = "The folder of the unpacked pack.")
    private Path pack = Path.of("");

    @Option(names = "--out", required = true, description = "The folder for report.md and report.json.")
    private Path out = Path.of("");

    @Option(
            names = "--keep-settings",
            description = "Leave the card's compute mode and memory limits as they are, and skip what needs others.")
    private boolean keepSettings;

    @Option(
            names = "--measure",
            paramLabel = "<milliseconds>",
            defaultValue = "1500",
            description = "The length of each measurement of speed (default 1500).")
    private int measureMillis;

    @Option(
            names = "--hami-core",
            paramLabel = "<file>",
            description = "HAMi-core's library, libvgpu.so: the part frameworks runs under it too.")
    private @Nullable Path hamiCore;

    @Option(
            names = "--patient",
            description = "Let the time limits grow with how busy the machine is, as for a simulated card.")
    private boolean patient;

    @Option(names = "--parts", paramLabel = "<name>", split = ",", description = "Run only these parts.")
    private List<String> names = List.of();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new OnACard()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        long start = System.nanoTime();
        Path work = Files.createDirectories(pack.toAbsolutePath().resolveSibling("w"));
        Report report = new Report(out);
        try (Nvml nvml = Nvml.open(Nvml.DEFAULT_LIBRARY)) {
            Machine machine =
                    Machine.find(pack.toAbsolutePath(), work, out, keepSettings, measureMillis, hamiCore, nvml);
            Thread hook = new Thread(() -> end(machine), "restore");
            Runtime.getRuntime().addShutdownHook(hook);
            report.machine(machine.facts());
            for (Part part : Part.all()) {
                if (names.isEmpty() || names.contains(part.name())) {
                    Duration left = limit(BUDGET).minusNanos(System.nanoTime() - start);
                    Duration limit = limit(part.limit());
                    Report.Result result = run(part, machine, left.compareTo(limit) < 0 ? left : limit);
                    report.add(result);
                    System.out.println(result.part() + ": " + result.outcome() + " in " + result.seconds() + " s "
                            + result.reason());
                    result.lines().stream()
                            .filter(line -> !line.holds())
                            .forEach(line -> System.out.println("  " + line.what() + ": " + line.seen()));
                }
            }
            report.machine(Map.of("the card afterwards", machine.restore(), "the run took", Findings.seconds(start)));
        } catch (NvmlException e) {
            report.machine(Map.of("no card", String.valueOf(e.getMessage())));
            System.err.println(e.getMessage());
            return NO_CARD;
        }
        return report.passed() ? 0 : 1;
    }

    private Duration limit(Duration quiet) {
        return patient ? Patience.of(quiet) : quiet;
    }

    /** Also after a signal: ends every program of this one, and gives the card its settings back. */
    private static void end(Machine machine) {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        machine.restore();
    }

    private static Report.Result run(Part part, Machine machine, Duration limit) throws InterruptedException {
        if (!limit.isPositive()) {
            return new Report.Result(part.name(), "skipped", "the time of the run is over", 0, List.of());
        }
        Findings findings = new Findings();
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            part.action().run(machine, findings);
            return findings.hold();
        });
        long start = System.nanoTime();
        Thread thread = Thread.ofPlatform().daemon().name(part.name()).start(task);
        String outcome;
        String reason = "";
        try {
            outcome = task.get(limit.toMillis(), TimeUnit.MILLISECONDS) ? "passed" : "failed";
        } catch (TimeoutException _) {
            thread.interrupt();
            thread.join(UNWINDING);
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            outcome = "ended";
            reason = "it took longer than " + limit.toSeconds() + " s";
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SkippedException skipped) {
                outcome = "skipped";
                reason = String.valueOf(skipped.getMessage());
            } else {
                outcome = "ended";
                reason = String.valueOf(e.getCause());
            }
        }
        double seconds = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) / 1000.0;
        return new Report.Result(part.name(), outcome, reason, seconds, findings.lines());
    }
}
