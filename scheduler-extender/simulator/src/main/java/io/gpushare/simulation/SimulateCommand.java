package io.gpushare.simulation;

import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.options.CheckedOptions;
import io.gpushare.simulation.lifetimes.WaitTable;
import io.gpushare.simulation.trace.ArrivalOrder;
import io.gpushare.simulation.trace.BadInputException;
import io.gpushare.simulation.trace.NodeTrace;
import io.gpushare.simulation.trace.PodTrace;
import io.gpushare.simulation.trace.SeedList;
import io.gpushare.simulation.trace.TimedPod;
import io.gpushare.simulation.trace.Workload;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code simulate}: replays pods on a cluster and prints the result of each policy. */
@Command(
        name = "scheduler-extender simulate",
        description =
                "Replays a list of pods on a list of nodes and prints how much of the cards each policy gets to use."
                        + " Files and figures: SIMULATE.md.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpWidth = 110)
final class SimulateCommand implements CheckedOptions {
    private static final String DEFAULT_POLICIES = "bestfit,fgd,wsp,wsp-from-nothing,adaptive-through-extender";
    private static final int MAX_ARRIVE = 1000;

    @Option(names = "--nodes", paramLabel = "<csv>", description = "The nodes: openb's CSV, or ours. [none]")
    private @Nullable Path nodes;

    @Option(names = "--pods", paramLabel = "<csv>", description = "The pods: openb's CSV, or ours. [none]")
    private @Nullable Path pods;

    @Option(
            names = "--from-cluster",
            paramLabel = "<URL|file>",
            description = "Instead of --nodes, and of --pods without it: the cards and pods of a live cluster. The"
                + " address of its extender, such as http://localhost:12345, or a file with the responses of"
                + " /gpushare-scheduler/v1/nodes and .../cluster, and of kubectl get nodes,pods -A -o json, which say"
                + " which nodes pods accept. [none]")
    private @Nullable String fromCluster;

    @Option(
            names = "--policy",
            paramLabel = "<name>",
            split = ",",
            defaultValue = DEFAULT_POLICIES,
            description = "bestfit, binpack, spread, fgd, wsp, wsp-fgd, wsp-keep, adaptive; several with commas. The"
                    + " last five know the list of pods in advance, fgd-from-nothing and wsp-from-nothing learn as"
                    + " pods arrive, as does wsp-through-extender, which decides through the extender's filter and"
                    + " bind (the same for the other policies that the extender offers). [${DEFAULT-VALUE}]")
    private List<String> policies = List.of();

    @Option(
            names = "--seeds",
            paramLabel = "<numbers>",
            defaultValue = "42-51",
            description = "One replay a seed: 42-51, or 1,2,3; the seed 2 alone is 2-2. [${DEFAULT-VALUE}]")
    private String seeds = "";

    @Option(
            names = "--arrive",
            paramLabel = "<percent>",
            defaultValue = "130",
            description =
                    "Shuffle the pods, then draw more, until they request that much of all cards. [${DEFAULT-VALUE}]")
    private int arrive;

    @Option(names = "--once", description = "Instead: each pod once, in the order of the list. [not set]")
    private boolean once;

    @Option(
            names = "--lifetimes",
            description = "Instead: pods end, and wait in kube-scheduler's queue. The list has their times: openb's"
                    + " creation_time and deletion_time, or created and duration, in seconds. Prints how long"
                    + " pods wait with each policy, through filter and bind. [not set]")
    private boolean lifetimes;

    @Option(
            names = "--speed",
            paramLabel = "<factors>",
            split = ",",
            defaultValue = "1.0,1.2,1.5",
            description = "How much faster the pods of --lifetimes come than in the list. [${DEFAULT-VALUE}]")
    private List<Double> speeds = List.of();

    @Option(
            names = "--find",
            paramLabel = "nodes.model=<model>",
            description =
                    "Instead: how many nodes with cards of that model are enough for --for, if each pod comes once:"
                        + " the fewest that any policy finds in several orders, what the first --policy"
                        + " (adaptive-through-extender if it is not set) needs in the order of the list, and how many"
                        + " are proven to be necessary. [none]")
    private @Nullable String find;

    @Option(
            names = "--for",
            paramLabel = "refused=<n>",
            defaultValue = "refused=0",
            description = "How many pods may be refused. [${DEFAULT-VALUE}]")
    private String goal = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "json",
            description = "Write the result of a replay or of --find as JSON. [text]")
    private @Nullable String output;

    @Option(names = "--threads", paramLabel = "<n>", description = "Replays at the same time. [the machine's cores]")
    private @Nullable Integer threads;

    /** The rules between options depend on the files: {@link #run} checks them. */
    @Override
    public List<String> problems() {
        return List.of();
    }

    /** The exit code: 0, or 2 with a sentence on {@code err} when a file or an option can't be used. */
    int run(PrintStream out, PrintStream err) {
        try {
            if (lifetimes && json()) {
                throw new BadInputException("-o json is for replays and --find: omit it with --lifetimes");
            }
            if (lifetimes) {
                lifetimes(out);
            } else if (find != null) {
                find(find, out, err);
            } else {
                replay(out, err);
            }
            return 0;
        } catch (BadInputException e) {
            err.println("simulate: " + e.getMessage());
            return 2;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("simulate: interrupted");
            return 1;
        }
    }

    private void replay(PrintStream out, PrintStream err) throws BadInputException, InterruptedException {
        boolean json = json();
        Experiment experiment = experiment(err);
        int parallel = threads();
        String description = experiment.describe();
        err.println(description);
        ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
        long begin = System.nanoTime();
        List<Result> results = experiment.run(parallel, cpu::getCurrentThreadCpuTime, err::println);
        if (json) {
            out.print(ResultTable.json(results));
        } else {
            out.println(description);
            out.println();
            out.print(ResultTable.of(results));
            out.println();
            out.printf(Locale.ROOT, "%.1f s on %d threads%n", (System.nanoTime() - begin) / 1e9, parallel);
        }
    }

    private void lifetimes(PrintStream out) throws BadInputException {
        if (nodes == null || pods == null || fromCluster != null) {
            throw new BadInputException("--lifetimes needs the times of pods: name files with --nodes and --pods");
        }
        if (speeds.stream().anyMatch(speed -> !(speed >= 0.01 && speed <= 1000))) {
            throw new BadInputException("--speed: write numbers from 0.01 to 1000, such as 1.0,1.5");
        }
        long begin = System.nanoTime();
        NodeTrace cluster = NodeTrace.read(nodes);
        List<TimedPod> timed = PodTrace.readTimed(pods, cluster);
        List<KnownNode> empty = cluster.nodes(0);
        for (double speed : speeds) {
            out.printf(
                    Locale.ROOT,
                    "Pods come %.1f times as fast. %s%n",
                    speed,
                    WaitTable.of(empty, timed, PolicyKind.offered(), speed));
        }
        out.printf(Locale.ROOT, "%.1f s%n", (System.nanoTime() - begin) / 1e9);
    }

    private void find(String what, PrintStream out, PrintStream err) throws BadInputException {
        NodeSearch search = NodeSearch.parse(what, goal);
        Contestant policy = Contestant.parse(
                policies.equals(List.of(DEFAULT_POLICIES.split(",")))
                        ? "adaptive-through-extender"
                        : policies.getFirst());
        Workload input = workload(err);
        boolean json = json();
        Set<String> unknown = NodeSearch.unknownModels(input);
        if (!unknown.isEmpty()) {
            err.println("simulate: pods name models that no node has: " + String.join(", ", unknown));
        }
        NodePlan plan = search.run(input, policy);
        out.println(json ? plan.json() : plan.text());
    }

    private boolean json() throws BadInputException {
        if (output != null && !output.equals("json")) {
            throw new BadInputException("--output " + output + ": write json, or omit it for text");
        }
        return output != null;
    }

    private int threads() throws BadInputException {
        int parallel = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
        if (parallel < 1) {
            throw new BadInputException("--threads " + parallel + ": write a number from 1 up");
        }
        return parallel;
    }

    private Experiment experiment(PrintStream err) throws BadInputException {
        List<Contestant> contestants = new ArrayList<>();
        for (String policy : policies) {
            contestants.add(Contestant.parse(policy));
        }
        if (arrive < 1 || arrive > MAX_ARRIVE) {
            throw new BadInputException("--arrive " + arrive + ": write a percentage from 1 to " + MAX_ARRIVE);
        }
        Workload input = workload(err);
        return Experiment.of(
                input.nodes(),
                input.pods(),
                once ? new ArrivalOrder.Once() : new ArrivalOrder.Shuffled(arrive),
                contestants,
                SeedList.parse(seeds));
    }

    private Workload workload(PrintStream err) throws BadInputException {
        Workload workload = Workload.read(nodes, pods, fromCluster);
        if (!workload.note().isEmpty()) {
            err.println("simulate: " + workload.note());
        }
        return workload;
    }
}
