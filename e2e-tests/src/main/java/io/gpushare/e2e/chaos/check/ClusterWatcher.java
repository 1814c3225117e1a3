package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.Invariants.Findings;
import io.gpushare.e2e.chaos.check.Invariants.Violation;
import io.gpushare.e2e.chaos.check.pod.ClaimView;
import io.gpushare.e2e.chaos.check.pod.HeldCards;
import io.gpushare.e2e.chaos.check.pod.PodView;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.KubeletPodResources;
import io.gpushare.e2e.cluster.LocalCluster;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Takes a snapshot of the whole cluster once a second, checks the invariants and keeps the newest snapshot. */
public final class ClusterWatcher {
    public static final String NAMESPACE = "default";
    public static final String PODS = "/api/v1/namespaces/" + NAMESPACE + "/pods";
    static final String MEMORY = "aliyun.com/gpu-mem";
    static final String CARDS = "aliyun.com/gpu-count";
    static final String SLOTS = "nvidia.com/gpu";
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration REPORT = Duration.ofSeconds(15);

    private final LocalCluster cluster;
    private final List<String> nodes;
    private final ApiServer api;
    private final ClusterCards cards;
    private final ClaimsSource claims;
    private final Processes processes;
    private final ProgramLogs logs;
    private final RunClock watch;
    private final Tally tally;
    private final Optional<MemoryLimits> limits;
    private final Set<String> compared = new HashSet<>();
    private final Set<String> edited = ConcurrentHashMap.newKeySet();
    private final Set<String> kept = ConcurrentHashMap.newKeySet();
    private final Set<String> keptClaims = ConcurrentHashMap.newKeySet();
    private final Set<String> withoutCdi = ConcurrentHashMap.newKeySet();
    private final Set<String> bare = ConcurrentHashMap.newKeySet();
    private final Map<Violation, Duration> lasting = new HashMap<>();
    private volatile Snapshot latest = new Snapshot(Duration.ZERO, Optional.empty(), List.of(), Map.of(), Set.of());
    private volatile boolean over;

    /**
     * Makes the watcher.
     *
     * @param log the file that collects the logs of both programs
     * @param isolated whether isolation is in force, so that memory has limits
     */
    public ClusterWatcher(
            LocalCluster cluster,
            List<String> nodes,
            ApiServer api,
            ClaimsSource claims,
            Path log,
            boolean isolated,
            RunClock watch,
            Tally tally) {
        this.limits = isolated ? Optional.of(new MemoryLimits()) : Optional.empty();
        this.cluster = cluster;
        this.nodes = List.copyOf(nodes);
        this.api = api;
        this.cards = claims.cards();
        this.claims = claims;
        this.processes = new Processes(cluster);
        this.logs = new ProgramLogs(cluster, nodes, log, this::latest, watch, tally);
        this.watch = watch;
        this.tally = tally;
    }

    /** The newest snapshot for which the API server responded. */
    public Snapshot latest() {
        return latest;
    }

    /** The pods for which the extender has evicted others, by name, and when its log last said so. */
    public Map<String, Instant> preemptors() {
        return logs.preemptors();
    }

    /** A tenant is about to edit the annotations of the pod with this uid. */
    public void edited(String uid) {
        edited.add(uid);
    }

    /** The pod is about to be deleted by force while a container of it can't be killed. */
    public void kept(PodView pod) {
        kept.add(pod.uid());
        if (!pod.claimed().isEmpty()) {
            keptClaims.add(pod.uid());
        }
    }

    /** The runtime of that node is about to start containers without what their claims give them, or no longer does. */
    public void withoutCdi(String node, boolean now) {
        if (now) {
            withoutCdi.add(node);
        } else {
            withoutCdi.remove(node);
        }
    }

    /** Whether the container has no card because a runtime without CDI started it. */
    private boolean bare(HeldCards sees, Optional<List<PodView>> pods) {
        if (!sees.cards().isEmpty()) {
            return false;
        }
        boolean may = pods.stream()
                .flatMap(List::stream)
                .filter(pod -> pod.uid().equals(sees.uid()))
                .findFirst()
                .map(pod -> withoutCdi.contains(pod.node()) && !pod.claimed().isEmpty())
                .orElse(!withoutCdi.isEmpty());
        if (may) {
            bare.add(sees.uid());
        }
        return bare.contains(sees.uid());
    }

    public void end() {
        over = true;
    }

    /** Checks the cluster until {@link #end}. */
    public void run() throws InterruptedException {
        Duration reported = Duration.ZERO;
        while (!over) {
            logs.follow();
            check();
            if (watch.now().minus(reported).compareTo(REPORT) > 0) {
                reported = watch.now();
                report();
            }
            Thread.sleep(PAUSE);
        }
        logs.follow();
    }

    /**
     * Checks the invariants. A violation counts only if a second snapshot, taken immediately, shows it as well: a
     * snapshot reads the API server, the processes and the kubelets one after the other, and the cluster may change in
     * between.
     */
    private void check() {
        Snapshot snapshot = snapshot();
        Findings findings = withoutReported(Invariants.check(cards, snapshot));
        tally.count("checks: snapshots of the whole cluster");
        tally.add("checks: comparisons", findings.checks());
        findings.compared().stream().filter(compared::add).forEach(_ -> tally.count("checks: containers compared"));
        lasting.keySet().removeIf(before -> findings.violations().stream().noneMatch(before::sameAs));
        for (Violation violation : findings.violations()) {
            if (lasting.keySet().stream().noneMatch(violation::sameAs)) {
                lasting.put(violation, snapshot.at());
            }
        }
        if (!findings.violations().isEmpty()) {
            tally.count("checks: snapshots that were repeated");
            Findings again = withoutReported(Invariants.check(cards, snapshot()));
            lasting.forEach((violation, since) -> {
                boolean still = again.violations().stream().anyMatch(violation::sameAs);
                if (still && watch.now().minus(since).compareTo(violation.tolerance()) > 0) {
                    tally.violation(violation);
                }
            });
        }
        limits.ifPresent(each -> check(each).forEach(tally::violation));
        if (snapshot.pods().isPresent()) {
            latest = snapshot;
        } else {
            tally.count("checks: snapshots without an API server");
        }
    }

    private List<Violation> check(MemoryLimits memory) {
        List<MemoryUse.Member> members = processes.members();
        List<MemoryUse> uses = new ArrayList<>();
        for (String node : nodes) {
            uses.addAll(MemoryUse.of(node, cards, MemoryUse.lines(cluster.sharedFolder(), node), members));
            long pid = processes
                    .plugin(node)
                    .map(Processes.Program::process)
                    .filter(plugin -> !Processes.stopped(plugin))
                    .map(ProcessHandle::pid)
                    .orElse(0L);
            memory.plugin(node, pid, watch.now());
        }
        tally.add("isolation: containers whose memory was compared with their limit", uses.size());
        return memory.check(uses, edited, watch.now());
    }

    /** Pods of which a program was terminated because the container had more than its limit, and when it was read. */
    public Map<String, Instant> terminated() {
        return logs.terminated();
    }

    /** What was seen of the limits of memory, in a line; empty without isolation. */
    public Optional<String> isolation() {
        return limits.map(memory -> "%d times a container's processes had more than its limit, for at most %d s"
                .formatted(memory.excesses(), memory.longest().toSeconds()));
    }

    /** Drops the violations that the plugin has reported: a kubelet may ignore preferred devices. */
    private Findings withoutReported(Findings findings) {
        List<Violation> remaining = findings.violations().stream()
                .filter(violation -> !violation.rule().equals(Invariants.OTHER_DEVICES)
                        || !logs.reportedOtherDevices(violation.subject()))
                .toList();
        return new Findings(findings.checks(), findings.compared(), remaining);
    }

    private Snapshot snapshot() {
        Duration at = watch.now();
        Optional<List<ClaimView>> given = claims.claims();
        Optional<List<PodView>> pods = given.flatMap(this::pods);
        List<HeldCards> running = processes.containers().stream()
                .filter(sees -> !bare(sees, pods))
                .toList();
        Map<String, Map<String, Set<String>>> listed = new HashMap<>();
        for (String node : nodes) {
            try {
                listed.put(
                        node,
                        cards(KubeletPodResources.devices(
                                cluster.podResourcesSocket(node), NAMESPACE, cards.resources())));
            } catch (StatusRuntimeException e) {
                tally.count("checks: snapshots without a kubelet");
            }
        }
        List<HeldCards> prepared = claims.prepared(nodes);
        prepared.forEach(_ -> tally.count("checks: prepared claims compared"));
        return new Snapshot(
                at,
                pods,
                running,
                listed,
                Set.copyOf(edited),
                new Snapshot.Kept(kept, keptClaims),
                given.orElse(List.of()),
                prepared);
    }

    private Optional<List<PodView>> pods(List<ClaimView> given) {
        Map<String, ClaimView> byName = given.stream().collect(Collectors.toMap(ClaimView::name, claim -> claim));
        try {
            ApiServer.Response response = api.get(PODS);
            return response.succeeded()
                    ? Optional.of(response.body()
                            .path("items")
                            .valueStream()
                            .map(pod -> PodView.of(pod, byName))
                            .toList())
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Map<String, Set<String>> cards(Map<String, Set<String>> devices) {
        return devices.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> ClaimView.cards(entry.getValue())));
    }

    private void report() {
        Snapshot now = latest;
        long waiting = now.pods().stream()
                .flatMap(List::stream)
                .filter(pod -> pod.node().isEmpty())
                .count();
        watch.say(
                "%d pods made, %d ran; now %d containers run and %d pods wait; %d faults, %d comparisons, %d violations"
                        .formatted(
                                tally.of("pods: made"),
                                tally.of("pods: ran to their end"),
                                now.running().size(),
                                waiting,
                                tally.all("faults"),
                                tally.of("checks: comparisons"),
                                tally.violations().size()));
    }
}
