package io.gpushare.e2e.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.e2e.chaos.check.AuditLog;
import io.gpushare.e2e.chaos.check.ClaimsSource;
import io.gpushare.e2e.chaos.check.ClusterCards;
import io.gpushare.e2e.chaos.check.ClusterWatcher;
import io.gpushare.e2e.chaos.check.EndCheck;
import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.FailingRuntime;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.LocalCluster;
import io.gpushare.e2e.cluster.SimulatedMps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One chaos run: it starts the cluster, carries out the plan and returns the tally. */
final class ChaosRun implements AutoCloseable {
    private static final Duration RECOVERY = Duration.ofMinutes(4);
    /** How long after it is written a line of a log is read at the latest. */
    private static final Duration LOG_DELAY = Duration.ofSeconds(10);

    /** Within this time some of the last pods end. They run one after the other where they wait for whole cards. */
    private static final Duration DRAIN = Duration.ofMinutes(5);

    private interface Loop {
        void run() throws InterruptedException;
    }

    private final long seed;
    private final Duration length;
    private final Plan plan;
    private final Path root;
    private final LocalCluster cluster;
    private final List<String> nodes;
    private final Installation installation;
    private ClusterCards cards;
    private final Optional<SimulatedMps> mps;
    private final Optional<ClaimsNodes> claims;
    private @Nullable SimulatedClocks clocks;

    private ChaosRun(
            long seed,
            Duration length,
            Plan plan,
            boolean isolated,
            boolean cut,
            boolean claims,
            LocalCluster cluster,
            Path root) {
        this.seed = seed;
        this.length = length;
        this.plan = plan;
        this.root = root;
        this.cluster = cluster;
        this.claims = claims ? Optional.of(new ClaimsNodes(cluster, cluster.node())) : Optional.empty();
        this.nodes = List.of(cluster.node(), cluster.addNode());
        this.installation = new Installation(cluster, root);
        this.cards = ClusterCards.of(nodes, cut);
        this.mps = isolated ? Optional.of(new SimulatedMps(cluster, root)) : Optional.empty();
    }

    /**
     * Starts a cluster of two nodes, installs both programs and draws the plan. No fault is injected yet.
     *
     * @param isolated whether MPS is in force, and the containers have programs that allocate memory
     * @param cut whether a card of each node has MIG instances
     * @param chart the manifests for values of the chart, if a node is to serve claims
     */
    static ChaosRun prepare(
            Path root,
            long seed,
            Duration length,
            boolean isolated,
            boolean cut,
            Optional<Function<String, String>> chart) {
        List<String> profiles = ClusterCards.of(List.of(), cut).profiles();
        Plan plan = Plan.of(seed, length, ClusterCards.PER_NODE, isolated, chart.isPresent(), profiles);
        System.out.printf(
                "chaos: seed %d, %d min, %d pods and %d faults; to repeat: ./mvnw verify -Pchaos"
                        + " -Dgpushare.seed=%d -Dgpushare.minutes=%d%s%s%s%n",
                seed,
                length.toMinutes(),
                plan.orders().size(),
                plan.faults().size(),
                seed,
                length.toMinutes(),
                isolated ? " -Dgpushare.isolation=mps" : "",
                cut ? " -Dgpushare.mig=true" : "",
                chart.isPresent() ? " -Dgpushare.claims=true" : "");
        LocalCluster cluster = LocalCluster.start(root);
        try {
            ChaosRun run = new ChaosRun(seed, length, plan, isolated, cut, chart.isPresent(), cluster, root);
            run.install(chart);
            return run;
        } catch (RuntimeException | AssertionError e) {
            cluster.close();
            throw e;
        }
    }

    private void install(Optional<Function<String, String>> chart) {
        if (claims.isPresent()) {
            new FailingRuntime(cluster).install(nodes);
        }
        installation.install();
        cluster.kubectl().run("apply", "-f", root.resolve("deploy/preemption").toString());
        cluster.kubectl().apply("""
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: %s}
            value: 1000
            """.formatted(PodManifests.URGENT));
        Map<String, List<String>> lines = new HashMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            lines.put(nodes.get(node), cards.lines(node, Map.of()));
        }
        installation.simulate(lines);
        mps.ifPresent(each -> {
            each.copyPrograms(nodes);
            each.installSupervisor();
            each.isolate(installation, "--mps-over-use-grace=3s");
        });
        installation.withHami("GiB", cards.profiles());
        List<String> programs = new ArrayList<>(List.of(Installation.PLUGIN));
        claims.ifPresent(each -> {
            each.install(installation, chart.orElseThrow());
            programs.add(Installation.CLAIMS);
        });
        for (String node : nodes) {
            cards = cards.with(node, inventory(node));
        }
        clocks = SimulatedClocks.install(cluster, installation, programs, nodes, root);
    }

    private JsonNode inventory(String node) {
        String written = cluster.kubectl()
                .json("get", "node", node)
                .at("/metadata/annotations/gpushare.io~1inventory")
                .asText();
        try {
            return new ObjectMapper().readTree(written);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("the inventory of " + node + " is no JSON: " + written, e);
        }
    }

    Plan plan() {
        return plan;
    }

    /** Carries out the plan, prints the tally and returns it. */
    Tally run() throws InterruptedException {
        try (ApiServer api = ApiServer.of(cluster.kubectl())) {
            Tally before = new Tally(new RunClock());
            ClaimsSource source = new ClaimsSource(
                    cluster, api, cards, claims.map(ClaimsNodes::serving).orElse(Set.of()));
            new EndCheck(cluster, nodes, api, source, before).run();
            if (!before.violations().isEmpty()) {
                throw new AssertionError("the cluster violates the invariants before the run: " + before.violations());
            }
            RunClock watch = new RunClock();
            Tally tally = new Tally(watch);
            Path log = root.resolve("e2e-tests/target/chaos-" + seed + "-" + System.currentTimeMillis() + ".log");
            watch.say("the logs of both programs are kept in " + log);
            ClusterWatcher watcher =
                    new ClusterWatcher(cluster, nodes, api, source, log, mps.isPresent(), watch, tally);
            ProcessKeeper keeper = new ProcessKeeper(cluster, components(), watch, tally);
            Interruptions interruptions = new Interruptions();
            CardStates states = new CardStates(installation, cards, nodes);
            FaultInjector faults = new FaultInjector(
                    cluster,
                    nodes,
                    api,
                    keeper,
                    Objects.requireNonNull(clocks),
                    claims,
                    claims.map(
                            _ -> new RuntimeFaults(cluster, keeper, api, watcher, states, interruptions, watch, tally)),
                    states,
                    new AnnotationEditor(api, watcher, cards, tally),
                    new HostileTenant(cluster, watcher, interruptions, watch, tally),
                    interruptions,
                    watch,
                    tally);
            PodManifests manifests =
                    new PodManifests(cluster.workloadImage(), mps.map(SimulatedMps::tenant), claims.isPresent());
            AuditLog audit = new AuditLog(cluster.auditLog());
            PodLoad load = new PodLoad(api, watcher, manifests, audit, nodes, interruptions, watch, tally);
            ForgottenClaims forgotten = new ForgottenClaims(api, length, watch, tally);
            List<Thread> threads =
                    List.of(thread("watcher", watcher::run, tally), thread("keeper", keeper::run, tally));
            claims.ifPresent(_ -> thread("forgotten-claims", forgotten::run, tally));
            load.begin(plan.orders());
            faults.begin(plan.faults());
            watch.sleepUntil(length);
            watch.say("the time is over; waiting for the last pods to end");
            faults.awaitEnd(RECOVERY);
            Await.until(RECOVERY, "every component runs", keeper::complete, complete -> complete);
            load.awaitEnd(DRAIN);
            watcher.end();
            join(threads.getFirst());
            countBound(watcher.preemptors(), audit, tally);
            watch.say("all pods are gone; checking for leaked allocations");
            new EndCheck(cluster, nodes, api, source, tally).run();
            forgotten.end();
            keeper.end();
            join(threads.getLast());
            print(tally);
            watcher.isolation().ifPresent(line -> System.out.println("chaos: " + line));
            return tally;
        }
    }

    /** Counts which of the pods for which the extender evicted others were bound then. */
    private static void countBound(Map<String, Instant> preemptors, AuditLog audit, Tally tally) {
        preemptors.forEach((pod, at) -> {
            try {
                boolean bound = audit.bound(pod, at.minus(LOG_DELAY));
                tally.count("preemption by the extender: "
                        + (bound ? "the pod was bound then" : pod + " was not bound then"));
            } catch (IOException e) {
                throw new UncheckedIOException("the audit log can't be read", e);
            }
        });
    }

    private static Thread thread(String name, Loop work, Tally tally) {
        return Thread.ofPlatform().name(name).daemon().start(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                tally.violation("the run itself failed", name, String.valueOf(e));
            }
        });
    }

    private static void join(Thread thread) throws InterruptedException {
        thread.join(Duration.ofMinutes(1));
    }

    private List<String> components() {
        List<String> components = new ArrayList<>(
                List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"));
        nodes.forEach(node -> components.addAll(List.of("runtime@" + node, "kubelet@" + node)));
        return components;
    }

    private void print(Tally tally) {
        System.out.printf(
                "chaos: seed %d, %d min%n%s%n  %6d  violations%n",
                seed, length.toMinutes(), tally.table(), tally.violations().size());
        tally.violations().forEach(violation -> System.out.println("chaos: " + violation));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
