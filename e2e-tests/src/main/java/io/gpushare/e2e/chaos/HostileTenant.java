package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.ClusterWatcher;
import io.gpushare.e2e.chaos.check.Processes;
import io.gpushare.e2e.chaos.check.Processes.Tenant;
import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Root in a container with memory of a shared card. It sends the control daemon's commands, puts its own daemon, links
 * and files into the pipe directory, and names a cgroup like that of a neighbour's container. The neighbours lose
 * nothing.
 */
final class HostileTenant {
    private static final String RULE = "a hostile tenant harms its neighbours";
    private static final Duration UNTIL_THERE_IS_ONE = Duration.ofSeconds(45);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Set<Fault.Target> OTHERS = Set.of(Fault.Target.SUPERVISOR, Fault.Target.CARD);
    private static final String IN_CONTAINER = """
        d=/tmp/nvidia-mps; export CUDA_MPS_PIPE_DIRECTORY=$d LD_LIBRARY_PATH=/simulated/mps:/lib64
        control=/simulated/mps/nvidia-cuda-mps-control
        for i in 1 2 3 4 5; do echo quit | $control; done
        for file in control control_privileged control_lock log nvidia-cuda-mps-control.pid; do
          mv $d/$file $d/away; ln -s /simulated/cards $d/$file
        done
        $control -f </dev/null & impostor=$!
        for i in 1 2 3 4 5 6 7 8; do echo $i >>$d/more$i; done
        sleep 3; kill $impostor
        cd $d && echo "files:" *
        """;

    private final Processes processes;
    private final ClusterWatcher watcher;
    private final Interruptions interruptions;
    private final RunClock watch;
    private final Tally tally;

    HostileTenant(
            LocalCluster cluster, ClusterWatcher watcher, Interruptions interruptions, RunClock watch, Tally tally) {
        this.processes = new Processes(cluster);
        this.watcher = watcher;
        this.interruptions = interruptions;
        this.watch = watch;
        this.tally = tally;
    }

    /** Whether there was a tenant, and a neighbour whose container it can pretend to be. */
    boolean attack(Fault fault, String node) throws InterruptedException {
        Duration end = watch.now().plus(UNTIL_THERE_IS_ONE);
        boolean attacked = attackOnce(fault, node);
        while (!attacked && watch.now().compareTo(end) < 0) {
            Thread.sleep(PAUSE);
            attacked = attackOnce(fault, node);
        }
        return attacked;
    }

    private boolean attackOnce(Fault fault, String node) throws InterruptedException {
        List<Tenant> tenants = processes.tenants(node);
        for (Tenant tenant : tenants) {
            Optional<Tenant> neighbour = tenants.stream()
                    .filter(other -> other.honest() && !other.uid().equals(tenant.uid()))
                    .min(Comparator.comparing(other -> !other.card().equals(tenant.card())));
            Optional<ProcessHandle> daemon = processes.controlDaemon(node, tenant.card());
            if (neighbour.isPresent() && daemon.isPresent()) {
                watch.say(fault.kind() + " " + tenant.pod() + ", against "
                        + neighbour.get().pod());
                Instant begin = Instant.now();
                ForgedCgroup forged =
                        ForgedCgroup.of(tenant.process(), neighbour.get().uid());
                String files = inContainer(tenant.process());
                Thread.sleep(fault.length());
                forged.remove();
                judge(fault, node, tenant, neighbour.get(), daemon.get(), begin, files);
                return true;
            }
        }
        return false;
    }

    private static String inContainer(ProcessHandle process) throws InterruptedException {
        try {
            Process shell = new ProcessBuilder(
                            "nsenter", "-t", String.valueOf(process.pid()), "-m", "-r", "sh", "-c", IN_CONTAINER)
                    .redirectErrorStream(true)
                    .start();
            List<String> lines = shell.inputReader().lines().toList();
            shell.waitFor();
            return lines.stream().filter(line -> line.startsWith("files:")).collect(Collectors.joining());
        } catch (IOException e) {
            throw new UncheckedIOException("nsenter can't be started", e);
        }
    }

    private void judge(
            Fault fault,
            String node,
            Tenant tenant,
            Tenant neighbour,
            ProcessHandle daemon,
            Instant begin,
            String files) {
        String who = tenant.pod() + " on " + node;
        if (!files.isEmpty()) {
            tally.count("hostile tenants: attacks on a pipe directory");
            if (!files.equals("files: control")) {
                tally.violation(RULE, who, "it changed the pipe directory: " + files);
            }
        }
        Instant last = watcher.terminated().get(neighbour.pod());
        if (last != null && last.isAfter(begin)) {
            tally.violation(RULE, who, "a program of " + neighbour.pod() + " was terminated, which keeps its limit");
        }
        boolean otherFaults =
                interruptions.on(fault.node(), watch.now()).stream().anyMatch(kind -> OTHERS.contains(kind.target));
        boolean used =
                processes.tenants(node).stream().anyMatch(each -> each.card().equals(tenant.card()));
        if (otherFaults || !used) {
            tally.count("hostile tenants: the control daemon may have ended for other reasons");
        } else if (daemon.isAlive()) {
            tally.count("hostile tenants: the control daemon is the same afterwards");
        } else {
            tally.violation(RULE, who, "the control daemon of " + tenant.card() + " ended");
        }
    }

    /** A process in cgroups below its container's that are named like a container of another pod. */
    private record ForgedCgroup(List<Path> made, long pid) {
        private static final Path ROOT = Path.of("/sys/fs/cgroup");

        static ForgedCgroup of(ProcessHandle process, String uid) {
            List<Path> made = new ArrayList<>();
            try {
                for (String line : Files.readAllLines(Path.of("/proc", String.valueOf(process.pid()), "cgroup"))) {
                    String[] fields = line.split(":", 3);
                    String hierarchy = fields[1].replaceFirst("^name=", "");
                    Path own = ROOT.resolve(hierarchy).resolve(fields[2].substring(1));
                    if (fields[2].contains("pod") && Files.isDirectory(own)) {
                        Path container =
                                Files.createDirectories(own.resolve("pod" + uid).resolve("f0".repeat(32)));
                        made.add(container);
                        enter(container, process.pid());
                    }
                }
            } catch (IOException e) {
                // It has ended.
            }
            return new ForgedCgroup(made, process.pid());
        }

        /** A hierarchy that needs more than this, such as that of cpusets, keeps the process where it is. */
        private static void enter(Path cgroup, long pid) {
            try {
                Files.writeString(cgroup.resolve("cgroup.procs"), String.valueOf(pid));
            } catch (IOException e) {
                // The others are enough: the plugin reads all.
            }
        }

        void remove() {
            for (Path container : made) {
                Path pod = container.getParent();
                Path own = pod == null ? null : pod.getParent();
                if (pod != null && own != null) {
                    enter(own, pid);
                    delete(container);
                    delete(pod);
                }
            }
        }

        private static void delete(Path cgroup) {
            try {
                Files.deleteIfExists(cgroup);
            } catch (IOException e) {
                // The container's runtime removes what is left.
            }
        }
    }
}
