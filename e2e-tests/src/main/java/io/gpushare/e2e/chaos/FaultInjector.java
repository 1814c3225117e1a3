package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.Processes;
import io.gpushare.e2e.chaos.check.Processes.Program;
import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Injects the plan's faults, each at its time, and reverts them. */
final class FaultInjector {
    private static final String OURS = "/api/v1/namespaces/" + Installation.NAMESPACE + "/pods/";
    private static final String LEASE =
            "/apis/coordination.k8s.io/v1/namespaces/" + Installation.NAMESPACE + "/leases/gpushare-schd-extender";

    private static final String DRIVER = "gpu-share-claims-";
    /** The counters of faults of the program that serves claims. */
    static final String OF_DRIVER = "faults that hit the driver of claims: ";

    private static final Duration PAUSE = Duration.ofMillis(300);

    private final LocalCluster cluster;
    private final List<String> nodes;
    private final ApiServer api;
    private final Processes processes;
    private final ProcessKeeper keeper;
    private final SimulatedClocks clocks;
    private final Optional<ClaimsNodes> claims;
    private final Optional<RuntimeFaults> runtime;
    private final CardStates cards;
    private final AnnotationEditor editor;
    private final HostileTenant tenant;
    private final RunClock watch;
    private final Tally tally;
    private final Interruptions interruptions;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private int steps;

    FaultInjector(
            LocalCluster cluster,
            List<String> nodes,
            ApiServer api,
            ProcessKeeper keeper,
            SimulatedClocks clocks,
            Optional<ClaimsNodes> claims,
            Optional<RuntimeFaults> runtime,
            CardStates cards,
            AnnotationEditor editor,
            HostileTenant tenant,
            Interruptions interruptions,
            RunClock watch,
            Tally tally) {
        this.cluster = cluster;
        this.nodes = List.copyOf(nodes);
        this.api = api;
        this.processes = new Processes(cluster);
        this.keeper = keeper;
        this.clocks = clocks;
        this.claims = claims;
        this.runtime = runtime;
        this.cards = cards;
        this.editor = editor;
        this.tenant = tenant;
        this.interruptions = interruptions;
        this.watch = watch;
        this.tally = tally;
    }

    void begin(List<Fault> faults) {
        faults.forEach(fault -> threads.execute(() -> inject(fault)));
        threads.shutdown();
    }

    private void inject(Fault fault) {
        try {
            watch.sleepUntil(fault.at());
            boolean done = apply(fault);
            tally.count((done ? "faults: " : "faults without a target: ") + fault.kind());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            tally.violation("a fault could not be injected", fault.toString(), String.valueOf(e));
        }
    }

    /** Waits until every fault is reverted. */
    void awaitEnd(Duration limit) throws InterruptedException {
        if (!threads.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            tally.violation("faults were not reverted in time", "faults", limit.toString());
        }
    }

    private boolean apply(Fault fault) throws InterruptedException {
        String node = nodes.get(fault.node());
        return switch (fault.kind()) {
            case PLUGIN_KILL, PLUGIN_FREEZE, PLUGIN_REPLACE, PLUGIN_CUT_OFF ->
                program(fault, () -> processes.plugin(node));
            case LEADER_KILL, LEADER_FREEZE, LEADER_DEPOSE, LEADER_REPLACE ->
                program(fault, () -> processes.extender(leader()));
            case PLUGIN_CLOCK -> clock(fault, node, shift -> clocks.shiftPlugin(node, shift));
            case EXTENDER_CLOCK -> clock(fault, "extenders", clocks::shiftExtenders);
            case ANNOTATION_EDIT -> edited(fault);
            case KUBELET_KILL -> killed(fault, "kubelet@" + node);
            case KUBELET_FREEZE -> frozen(fault, "kubelet@" + node);
            case SCHEDULER_KILL -> killed(fault, "kube-scheduler");
            case SCHEDULER_FREEZE -> frozen(fault, "kube-scheduler");
            case API_KILL -> killed(fault, "kube-apiserver");
            case API_FREEZE -> frozen(fault, "kube-apiserver");
            case CARD_XID -> failCard(fault, node, "xid=79#" + next());
            case CARD_LOST -> failCard(fault, node, "lost");
            case HOSTILE_TENANT -> tenant.attack(fault, node);
            case NODE_MOVE, NODE_MOVE_BRIEF -> moved(fault, node);
            case KILL_FAILS -> runtime.orElseThrow().keep(fault, node);
            case CDI_OFF -> runtime.orElseThrow().withoutCdi(fault, node);
            case SOCKETS_REMOVED -> socketsRemoved(fault, node);
            case SUPERVISOR_KILL -> killed(fault, node, processes.supervisor(node));
            case CONTROL_DAEMON_KILL -> {
                List<ProcessHandle> daemons = processes.controlDaemons(node);
                yield killed(
                        fault,
                        node,
                        daemons.stream()
                                .skip(fault.card() % Math.max(1, daemons.size()))
                                .findFirst());
            }
        };
    }

    private boolean program(Fault fault, Supplier<Optional<Program>> lookup) throws InterruptedException {
        Optional<Program> found = watch.awaited(lookup);
        if (found.isEmpty()) {
            return false;
        }
        Program program = found.get();
        interruptions.begin(watch, fault, program.pod());
        if (program.pod().startsWith(DRIVER)) {
            tally.count(OF_DRIVER + fault.kind());
        }
        switch (fault.kind()) {
            case PLUGIN_REPLACE, LEADER_REPLACE -> {
                return deleted(program.pod());
            }
            case PLUGIN_KILL, LEADER_KILL -> program.process().destroyForcibly();
            case PLUGIN_CUT_OFF -> {
                if (!ApiServerFirewall.close(program.process())) {
                    return false;
                }
                Thread.sleep(fault.length());
                ApiServerFirewall.open(program.process());
            }
            default -> {
                signal("STOP", program.process());
                Thread.sleep(fault.length());
                signal("CONT", program.process());
            }
        }
        return true;
    }

    private boolean deleted(String pod) {
        try {
            return api.send("DELETE", OURS + pod, "").succeeded();
        } catch (IOException e) {
            return false;
        }
    }

    /** The pod that holds the extenders' Lease; empty while the Lease can't be read. */
    private String leader() {
        try {
            String holder = api.get(LEASE).body().at("/spec/holderIdentity").asText();
            // The identity is the pod's name and a part that is unique to the process.
            return holder.replaceFirst("_.*", "");
        } catch (IOException e) {
            return "";
        }
    }

    private static void signal(String signal, ProcessHandle process) {
        try {
            new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new IllegalStateException("can't send SIG" + signal, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean killed(Fault fault, String component) throws InterruptedException {
        interruptions.begin(watch, fault, component);
        keeper.kill(component, fault.length());
        return true;
    }

    private boolean killed(Fault fault, String target, Optional<ProcessHandle> process) {
        process.ifPresent(found -> {
            interruptions.begin(watch, fault, target);
            found.destroyForcibly();
        });
        return process.isPresent();
    }

    private boolean frozen(Fault fault, String component) throws InterruptedException {
        if (!cluster.runs(component)) {
            return false;
        }
        interruptions.begin(watch, fault, component);
        cluster.component("pause", component);
        Thread.sleep(fault.length());
        if (cluster.runs(component)) {
            cluster.component("resume", component);
        }
        return true;
    }

    /** Moves the node to the other way, and back. */
    private boolean moved(Fault fault, String node) throws InterruptedException {
        interruptions.begin(watch, fault, node);
        label(node, true);
        Thread.sleep(fault.length());
        label(node, false);
        watch.say(node + " is to move back");
        return true;
    }

    private void label(String node, boolean moved) throws InterruptedException {
        while (!claims.orElseThrow().label(api, node, moved)) {
            Thread.sleep(PAUSE);
        }
    }

    private boolean socketsRemoved(Fault fault, String node) throws InterruptedException {
        interruptions.begin(watch, fault, node);
        return watch.awaited(() -> Optional.of(node).filter(claims.orElseThrow()::removeSockets))
                .isPresent();
    }

    /** Sets a clock forward by an hour, or back by as much as the certificates of the cluster are old. */
    private boolean clock(Fault fault, String program, Consumer<Duration> shift) throws InterruptedException {
        Duration step = next() % 2 == 0 ? Duration.ofHours(1) : Duration.ofSeconds(-90);
        interruptions.begin(watch, fault, program + ", by " + step.toSeconds() + " s,");
        shift.accept(step);
        Thread.sleep(fault.length());
        shift.accept(Duration.ZERO);
        return true;
    }

    private boolean edited(Fault fault) throws InterruptedException {
        Optional<String> pod = editor.edit();
        pod.ifPresent(name -> interruptions.begin(watch, fault, name));
        return pod.isPresent();
    }

    private boolean failCard(Fault fault, String node, String state) throws InterruptedException {
        interruptions.begin(watch, fault, node + " card " + fault.card());
        cards.fail(fault.node(), fault.card(), state);
        Thread.sleep(fault.length());
        cards.fail(fault.node(), fault.card(), "");
        return true;
    }

    private synchronized int next() {
        return ++steps;
    }
}
