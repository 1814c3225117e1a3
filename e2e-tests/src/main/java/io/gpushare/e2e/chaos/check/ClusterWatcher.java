package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.Invariants.Findings;
import io.gpushare.e2e.chaos.check.Invariants.Violation;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.KubeletPodResources;
import io.gpushare.e2e.cluster.LocalCluster;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Looks at the whole cluster once a second, all the time, and keeps the newest snapshot for the others. */
public final class ClusterWatcher {
    public static final String NAMESPACE = "default";
    public static final String PODS = "/api/v1/namespaces/" + NAMESPACE + "/pods";
    static final String MEMORY = "aliyun.com/gpu-mem";
    static final String CARDS = "aliyun.com/gpu-count";
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration REPORT = Duration.ofSeconds(15);

    private final LocalCluster cluster;
    private final List<String> nodes;
    private final ApiServer api;
    private final ClusterCards cards;
    private final Processes processes;
    private final ProgramLogs logs;
    private final RunClock watch;
    private final Tally tally;
    private final Set<String> compared = new HashSet<>();
    private final Map<Violation, Duration> lasting = new HashMap<>();
    private volatile Snapshot latest = new Snapshot(Duration.ZERO, Optional.empty(), List.of(), Map.of());
    private volatile boolean over;

    /** @param log where all that the programs write in their logs is kept */
    public ClusterWatcher(
            LocalCluster cluster,
            List<String> nodes,
            ApiServer api,
            ClusterCards cards,
            Path log,
            RunClock watch,
            Tally tally) {
        this.cluster = cluster;
        this.nodes = List.copyOf(nodes);
        this.api = api;
        this.cards = cards;
        this.processes = new Processes(cluster);
        this.logs = new ProgramLogs(cluster, nodes, log, watch, tally);
        this.watch = watch;
        this.tally = tally;
    }

    /** The newest look at which the API server answered. */
    public Snapshot latest() {
        return latest;
    }

    public void end() {
        over = true;
    }

    /** Until {@link #end}. */
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
     * What is wrong at one look must be so at the next as well, which follows at once: a look asks the API server, the
     * processes and the kubelets one after the other, and something may come or go in between.
     */
    private void check() {
        Snapshot seen = look();
        Findings findings = unlessTold(Invariants.check(cards, seen));
        tally.count("checks: looks at the whole cluster");
        tally.add("checks: comparisons", findings.checks());
        findings.compared().stream().filter(compared::add).forEach(_ -> tally.count("checks: containers compared"));
        lasting.keySet().removeIf(before -> findings.violations().stream().noneMatch(before::sameAs));
        for (Violation violation : findings.violations()) {
            if (lasting.keySet().stream().noneMatch(violation::sameAs)) {
                lasting.put(violation, seen.at());
            }
        }
        if (!findings.violations().isEmpty()) {
            tally.count("checks: looks that were repeated");
            Findings again = unlessTold(Invariants.check(cards, look()));
            lasting.forEach((violation, since) -> {
                boolean still = again.violations().stream().anyMatch(violation::sameAs);
                if (still && watch.now().minus(since).compareTo(violation.patience()) > 0) {
                    tally.violation(violation);
                }
            });
        }
        if (seen.pods().isPresent()) {
            latest = seen;
        } else {
            tally.count("checks: looks without an API server");
        }
    }

    /** A kubelet may not heed which devices it should take, or can't be notified in time: then the plugin says so. */
    private Findings unlessTold(Findings findings) {
        List<Violation> left = findings.violations().stream()
                .filter(violation ->
                        !violation.rule().equals(Invariants.OTHER_BOOKS) || !logs.toldOfOtherBooks(violation.subject()))
                .toList();
        return new Findings(findings.checks(), findings.compared(), left);
    }

    private Snapshot look() {
        Duration at = watch.now();
        Optional<List<PodView>> pods = pods();
        List<HeldCards> running = processes.containers();
        Map<String, Map<String, Set<String>>> listed = new HashMap<>();
        for (String node : nodes) {
            try {
                listed.put(
                        node,
                        cards(KubeletPodResources.devices(cluster.podResourcesSocket(node), NAMESPACE, MEMORY, CARDS)));
            } catch (StatusRuntimeException e) {
                tally.count("checks: looks without a kubelet");
            }
        }
        return new Snapshot(at, pods, running, listed);
    }

    private Optional<List<PodView>> pods() {
        try {
            ApiServer.Answer answer = api.get(PODS);
            return answer.succeeded()
                    ? Optional.of(answer.body()
                            .path("items")
                            .valueStream()
                            .map(PodView::of)
                            .toList())
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Map<String, Set<String>> cards(Map<String, Set<String>> devices) {
        return devices.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        entry -> entry.getValue().stream()
                                .map(id -> id.split("::", 2)[0])
                                .collect(Collectors.toSet())));
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
