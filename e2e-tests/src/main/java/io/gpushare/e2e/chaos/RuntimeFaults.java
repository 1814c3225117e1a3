package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.Fault.Kind;
import io.gpushare.e2e.chaos.Fault.Target;
import io.gpushare.e2e.chaos.check.ClusterWatcher;
import io.gpushare.e2e.chaos.check.Processes;
import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.chaos.check.pod.PodView;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.FailingRuntime;
import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A container runtime that does not do what it is told: it can't kill a container, or starts one without what its
 * claims give it.
 */
final class RuntimeFaults {
    /** The kubelet repeats a kill that failed at growing intervals. */
    private static final Duration UNTIL_KILLED = Duration.ofMinutes(3);

    /** The driver looks at each container for some seconds. */
    private static final Duration UNTIL_REPORTED = Duration.ofSeconds(30);

    /** The runtime may have read its configuration before it was changed back, and start a container later. */
    private static final Duration SETTLED = Duration.ofSeconds(10);

    private static final String WITHOUT = "containers without their claims' cards: ";

    private static final Duration PAUSE = Duration.ofMillis(300);

    private final FailingRuntime runtime;
    private final ProcessKeeper keeper;
    private final Processes processes;
    private final ApiServer api;
    private final ClusterWatcher watcher;
    private final CardStates cards;
    private final Interruptions interruptions;
    private final RunClock watch;
    private final Tally tally;

    RuntimeFaults(
            LocalCluster cluster,
            ProcessKeeper keeper,
            ApiServer api,
            ClusterWatcher watcher,
            CardStates cards,
            Interruptions interruptions,
            RunClock watch,
            Tally tally) {
        this.runtime = new FailingRuntime(cluster);
        this.keeper = keeper;
        this.processes = new Processes(cluster);
        this.api = api;
        this.watcher = watcher;
        this.cards = cards;
        this.interruptions = interruptions;
        this.watch = watch;
        this.tally = tally;
    }

    /**
     * Deletes a pod by force whose container can't be killed, until the runtime kills it. A pod that has memory by
     * resources is not chosen: what it keeps is known some seconds later.
     */
    boolean keep(Fault fault, String node) throws InterruptedException {
        Optional<PodContainer> found = watch.awaited(() -> victim(fault, node));
        if (found.isEmpty()) {
            return false;
        }
        PodView pod = found.get().pod();
        Processes.Running chosen = found.get().container();
        interruptions.begin(
                watch, fault, pod.name() + " on " + node + ", " + chosen.held().cards());
        FailingRuntime.Grip grip = runtime.keep(chosen.id());
        cards.computes(fault.node(), chosen, true);
        watcher.kept(pod);
        deletedByForce(pod);
        Thread.sleep(fault.length());
        grip.release();
        watch.say("the runtime can kill the container of " + pod.name());
        // The driver lists it until it has ended.
        Duration killed = watch.now().plus(UNTIL_KILLED);
        while (chosen.process().isAlive() && watch.now().compareTo(killed) < 0) {
            Thread.sleep(PAUSE);
        }
        if (chosen.process().isAlive()) {
            tally.violation("a container runs that the runtime can kill", pod.name(), UNTIL_KILLED.toString());
            return true;
        }
        cards.computes(fault.node(), chosen, false);
        return true;
    }

    /** A container that runs, with its pod. */
    private record PodContainer(PodView pod, Processes.Running container) {}

    private Optional<PodContainer> victim(Fault fault, String node) {
        List<PodContainer> candidates = running(node).stream()
                .filter(each -> !each.container().held().cards().isEmpty())
                .filter(each -> each.container().held().request().whole()
                        || !each.pod().claimed().isEmpty())
                .toList();
        return candidates.stream()
                .skip(fault.card() % Math.max(1, candidates.size()))
                .findFirst();
    }

    private void deletedByForce(PodView pod) throws InterruptedException {
        String options = """
            {"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":"%s"}}\
            """.formatted(pod.uid());
        while (true) {
            try {
                int code = api.send("DELETE", ClusterWatcher.PODS + "/" + pod.name(), options)
                        .code();
                if (code / 100 == 2 || code == 404 || code == 409) {
                    return;
                }
            } catch (IOException e) {
                tally.count("load: calls that the API server did not answer");
            }
            Thread.sleep(PAUSE);
        }
    }

    /** The containers of pods of that node that are not about to end. */
    private List<PodContainer> running(String node) {
        Map<String, PodView> pods = new HashMap<>();
        watcher.latest()
                .pods()
                .ifPresent(all -> all.stream()
                        .filter(pod -> pod.node().equals(node) && !pod.ended() && !pod.deleting())
                        .forEach(pod -> pods.put(pod.uid(), pod)));
        return processes.running().stream()
                .flatMap(each -> Stream.ofNullable(pods.get(each.held().uid())).map(pod -> new PodContainer(pod, each)))
                .toList();
    }

    /**
     * The runtime starts containers without what their claims give them, for a while. The driver reports each that
     * lives long enough.
     */
    boolean withoutCdi(Fault fault, String node) throws InterruptedException {
        interruptions.begin(watch, fault, node);
        Unreported unreported = new Unreported(node, fault.node());
        watcher.withoutCdi(node, true);
        appliesClaims(node, false);
        unreported.look(fault.length());
        appliesClaims(node, true);
        watch.say("the runtime of " + node + " applies claims again");
        unreported.look(SETTLED);
        watcher.withoutCdi(node, false);
        unreported.look(UNTIL_REPORTED);
        return unreported.found();
    }

    private void appliesClaims(String node, boolean applies) throws InterruptedException {
        runtime.applyClaims(node, applies);
        keeper.kill("runtime@" + node, Duration.ZERO);
    }

    /** The containers without their cards of a node, until the driver has reported them. */
    private final class Unreported {
        private static final Set<Kind> OF_THE_API = EnumSet.of(Kind.API_FREEZE, Kind.API_KILL);
        private static final Set<Target> OF_THE_DRIVER = EnumSet.of(Target.PLUGIN, Target.KUBELET, Target.NODE);

        private final String node;
        private final int number;
        private final Map<String, Duration> since = new HashMap<>();
        private final Set<String> done = new HashSet<>();

        Unreported(String node, int number) {
            this.node = node;
            this.number = number;
        }

        boolean found() {
            return !since.isEmpty();
        }

        void look(Duration length) throws InterruptedException {
            Duration end = watch.now().plus(length);
            while (watch.now().compareTo(end) < 0) {
                for (PodContainer each : running(node)) {
                    if (each.container().held().cards().isEmpty()
                            && !done.contains(each.container().id())) {
                        look(each);
                    }
                }
                Thread.sleep(PAUSE);
            }
        }

        private void look(PodContainer each) {
            String id = each.container().id();
            if (since.putIfAbsent(id, watch.now()) == null) {
                tally.count(WITHOUT + "seen");
            }
            if (ClaimsNodes.hasEvent(api, each.pod().uid(), "GpuClaimNotApplied")) {
                done.add(id);
                tally.count(WITHOUT + "reported");
            } else if (watch.now().minus(since.get(id)).compareTo(UNTIL_REPORTED) > 0) {
                done.add(id);
                if (otherFaults()) {
                    tally.count(WITHOUT + "not reported, while other faults hit the driver");
                } else {
                    tally.violation(
                            "a container runs without its card and the driver does not report it",
                            each.pod().name(),
                            each.container().held().toString());
                }
            }
        }

        /** Whether the driver may not have prepared the claim itself, or can't tell anybody. */
        private boolean otherFaults() {
            return interruptions.on(number, watch.now()).stream()
                    .anyMatch(kind -> OF_THE_API.contains(kind) || OF_THE_DRIVER.contains(kind.target));
        }
    }
}
