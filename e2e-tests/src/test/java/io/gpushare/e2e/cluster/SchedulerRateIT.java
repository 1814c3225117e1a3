package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.load.budget.Budget;
import io.gpushare.e2e.load.budget.Budgets;
import io.gpushare.e2e.sandbox.program.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures how many pods per second the real kube-scheduler binds with and without the extender, on nodes that are only
 * API objects: {@code ./mvnw verify -Prate}. Some thousand pods first warm up the JVM of the extender. Then the
 * configurations run several times in turns, so that other load on the machine affects all of them. The test fails if
 * the extender misses the budget of BENCHMARKS.md, or the limit in {@code -Dgpushare.budget.rate}.
 */
@Tag("rate")
class SchedulerRateIT {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root"));
    private static final int NODES = Integer.getInteger("gpushare.nodes", 1000);
    private static final int PODS = Integer.getInteger("gpushare.pods", 1000);
    private static final int WARM_UPS = Integer.getInteger("gpushare.warmups", 4);
    private static final int ROUNDS = Integer.getInteger("gpushare.rounds", 3);
    private static final String DECIDE_IN = System.getProperty("gpushare.decideIn", "filter");
    /** More options for the extender's JVM, to compare them. */
    private static final String JVM = System.getProperty("gpushare.extenderJvm", "");

    /** Also measures pods by claims, each with a template: Kubernetes 1.36. */
    private static final boolean CLAIMS = Boolean.getBoolean("gpushare.claims");

    /** Arguments that only the programs' processes have. */
    private static final String EXTENDER_PROGRAM = "--leader-elect=true";

    private static final String PLUGIN_PROGRAM = "--metrics-address";

    private static final int CARDS = 8;
    private static final DateTimeFormatter MICROSECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final int WRITERS = 8;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String LEASES_PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    /** kube-controller-manager marks a node that is not heard from for 40 s, in Kubernetes 1.36 50 s. */
    private static final int RENEWAL_SECONDS = 15;

    private static final int RENEWERS = 4;
    private static final String PODS_PATH = "/api/v1/namespaces/default/pods";
    private static final String SLICES_PATH = "/apis/resource.k8s.io/v1/resourceslices";

    private static final String TEMPLATE = """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: gpushare-rate}
        spec: {selectors: [{cel: {expression: device.driver == 'gpushare.io'}}]}
        ---
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaimTemplate
        metadata: {name: share-3, namespace: default}
        spec:
          spec:
            devices:
              requests:
                - {name: gpu, exactly: {deviceClassName: gpushare-rate, capacity: {requests: {memory: 3Gi}}}}
        """;

    private static final String EXTENDER_NAME = "gpu-share-scheduler-extender";
    private static final String READS_CLAIMS = """
        [{"op": "add", "path": "/rules/-", "value":
          {"apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims"], "verbs": ["list", "watch"]}}]\
        """;

    private static final String BARE = "no extender";
    private static final String BY_CLAIMS = "no extender, pods by claims";
    private static final String OURS = "this extender, deciding in " + DECIDE_IN;

    /** A configuration of kube-scheduler, as a change of the file in deploy/scheduler. */
    private static final Map<String, UnaryOperator<String>> CONFIGURATIONS = new LinkedHashMap<>();

    static {
        CONFIGURATIONS.put(BARE, SchedulerRateIT::withoutExtenders);
        CONFIGURATIONS.put(
                "no extender, default sample of nodes",
                text -> withoutExtenders(text).replaceFirst("(?m)^percentageOfNodesToScore:.*$", ""));
        CONFIGURATIONS.put(OURS, UnaryOperator.identity());
        if (CLAIMS) {
            CONFIGURATIONS.put(BY_CLAIMS, SchedulerRateIT::withoutExtenders);
        }
    }

    private static String withoutExtenders(String text) {
        return text.substring(0, text.indexOf("\nextenders:") + 1);
    }

    @Test
    void podsBoundASecondWithAndWithoutTheExtender() throws IOException, InterruptedException {
        try (LocalCluster cluster = LocalCluster.start(ROOT);
                ApiServer api = ApiServer.of(cluster.kubectl());
                ScheduledExecutorService renewing = Executors.newScheduledThreadPool(RENEWERS)) {
            Bindings bindings = new Bindings(cluster.auditLog());
            Installation installation = new Installation(cluster, ROOT);
            installation.install();
            if (CLAIMS) {
                cluster.kubectl().run("patch", "clusterrole", EXTENDER_NAME, "--type=json", "-p", READS_CLAIMS);
            }
            cluster.kubectl()
                    .run(
                            "-n",
                            Installation.NAMESPACE,
                            "set",
                            "env",
                            Installation.EXTENDER,
                            "DECIDE_IN=" + DECIDE_IN,
                            "CLAIMS=" + CLAIMS,
                            "JAVA_TOOL_OPTIONS=" + JVM);
            installation.ready(Installation.EXTENDER);
            send(api, NODES, "/api/v1/nodes", SchedulerRateIT::node);
            send(api, NODES, LEASES_PATH, SchedulerRateIT::lease);
            for (int i = 0; i < RENEWERS; i++) {
                int first = i;
                var _ = renewing.scheduleWithFixedDelay(() -> renew(api, first), 0, RENEWAL_SECONDS, TimeUnit.SECONDS);
            }
            if (CLAIMS) {
                send(api, NODES, SLICES_PATH, SchedulerRateIT::slice);
                cluster.kubectl().apply(TEMPLATE);
            }
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            List<Double> ours = new ArrayList<>();
            rates.put(OURS, ours);
            for (int i = 0; i < WARM_UPS; i++) {
                rate(
                        cluster,
                        api,
                        bindings,
                        "w" + i + "-",
                        OURS + (i == 0 ? ", just started" : ", warming up"),
                        UnaryOperator.identity());
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (String configuration : CONFIGURATIONS.keySet()) {
                    String prefix =
                            "r" + rates.values().stream().mapToInt(List::size).sum() + "-";
                    double rate =
                            rate(cluster, api, bindings, prefix, configuration, CONFIGURATIONS.get(configuration));
                    rates.computeIfAbsent(configuration, key -> new ArrayList<>())
                            .add(rate);
                }
            }
            rates.forEach((configuration, each) -> System.out.printf(
                    Locale.ROOT,
                    "rate: mean %.0f a second, %s; with this extender %.2f of it (median), by round %s%n",
                    mean(each),
                    configuration,
                    medianRatio(ours, each),
                    ratios(ours, each)
                            .mapToObj(ratio -> String.format(Locale.ROOT, "%.2f", ratio))
                            .collect(Collectors.joining(", "))));
            Budgets budgets = budgets();
            if (DECIDE_IN.equals("filter")) {
                budgets.check(Budget.RATE, NODES, medianRatio(ours, rates.getOrDefault(BARE, List.of())));
            } else {
                System.out.println("rate: no budget for --decide-in=" + DECIDE_IN);
            }
            assertThat(budgets.missed()).isEmpty();
        }
    }

    private static DoubleStream ratios(List<Double> ours, List<Double> others) {
        return IntStream.range(0, ROUNDS).mapToDouble(round -> ours.get(round) / others.get(round));
    }

    /** Other load on the machine disturbs single rounds. */
    private static double medianRatio(List<Double> ours, List<Double> others) {
        double[] sorted = ratios(ours, others).sorted().toArray();
        return (sorted[(ROUNDS - 1) / 2] + sorted[ROUNDS / 2]) / 2;
    }

    private static Budgets budgets() {
        return new Budgets(Optional.ofNullable(System.getProperty("gpushare.budget.rate"))
                .map(limit -> Map.of(Budget.RATE, Double.valueOf(limit)))
                .orElse(Map.of()));
    }

    private static double mean(List<Double> rates) {
        return rates.stream().mapToDouble(each -> each).average().orElseThrow();
    }

    /** Pods bound per second, from the first binding to the last; the pods exist before the scheduler starts. */
    private static double rate(
            LocalCluster cluster,
            ApiServer api,
            Bindings bindings,
            String prefix,
            String configuration,
            UnaryOperator<String> change)
            throws IOException, InterruptedException {
        cluster.component("stop", "kube-scheduler");
        boolean claims = configuration.equals(BY_CLAIMS);
        send(api, PODS, PODS_PATH, number -> claims ? claimingPod(prefix + number) : pod(prefix + number));
        Duration used = extenders();
        cluster.configureScheduler(configurations(change));
        Await.until(PATIENCE, "all pods are bound", () -> bindings.of(prefix).size(), bound -> bound == PODS);
        List<Instant> moments = bindings.of(prefix);
        used = extenders().minus(used);
        double rate = (PODS - 1)
                * 1e9
                / Duration.between(moments.getFirst(), moments.getLast()).toNanos();
        System.out.printf(
                Locale.ROOT,
                "rate: %,d nodes, %,d GPU pods, %s: %.0f bound a second; the extender used %.1f ms of a processor for"
                        + " each; resident: %s%n",
                NODES,
                PODS,
                configuration,
                rate,
                used.toNanos() / 1e6 / PODS,
                resident());
        send(api, PODS, number ->
                new String[] {"DELETE", PODS_PATH + "/" + prefix + number + "?gracePeriodSeconds=0", ""});
        if (claims) {
            Await.until(
                    PATIENCE,
                    "all claims are gone",
                    () -> cluster.kubectl()
                            .run("get", "resourceclaims", "-A", "-o", "name")
                            .isBlank(),
                    gone -> gone);
        }
        return rate;
    }

    /** The processor time of both replicas of the extender, whose containers are processes of this machine. */
    private static Duration extenders() {
        return programs(EXTENDER_PROGRAM)
                .map(program -> program.info().totalCpuDuration().orElse(Duration.ZERO))
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** The resident memory of the programs, by their source. */
    private static String resident() {
        return Stream.concat(programs(EXTENDER_PROGRAM), programs(PLUGIN_PROGRAM))
                .map(program -> {
                    boolean extender = commandLine(program).contains(EXTENDER_PROGRAM);
                    return (extender ? "extender " : "device plugin ") + residentMib(program.pid()) + " MiB";
                })
                .collect(Collectors.joining(", "));
    }

    private static Stream<ProcessHandle> programs(String argument) {
        return ProcessHandle.allProcesses()
                .filter(program -> commandLine(program).contains(argument));
    }

    private static String commandLine(ProcessHandle program) {
        return program.info().commandLine().orElse("");
    }

    private static String residentMib(long pid) {
        try {
            return String.valueOf(Program.residentMib(pid));
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** Writes the changed configuration files, without kube-scheduler's rate limit for API calls. */
    private static Path configurations(UnaryOperator<String> change) throws IOException {
        Path folder = Files.createTempDirectory("rate");
        try (Stream<Path> files = Files.list(ROOT.resolve("deploy/scheduler"))) {
            for (Path file : files.filter(name -> name.getFileName().toString().startsWith("config-"))
                    .toList()) {
                String text = change.apply(Files.readString(file))
                        .replace("\nclientConnection:\n", "\nclientConnection:\n  qps: 5000\n  burst: 5000\n");
                Files.writeString(folder.resolve(file.getFileName()), text);
            }
        }
        return folder;
    }

    private interface Body {
        String of(int number);
    }

    private interface Request {
        String[] of(int number);
    }

    private static void send(ApiServer api, int count, String path, Body body) throws InterruptedException {
        send(api, count, number -> new String[] {"POST", path, body.of(number)});
    }

    private static void send(ApiServer api, int count, Request request) throws InterruptedException {
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<ApiServer.Response>> answers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String[] parts = request.of(i);
                answers.add(writers.submit(() -> api.send(parts[0], parts[1], parts[2])));
            }
            for (Future<ApiServer.Response> answer : answers) {
                assertThat(done(answer).succeeded()).as("%s", done(answer)).isTrue();
            }
        }
    }

    private static ApiServer.Response done(Future<ApiServer.Response> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw new UncheckedIOException(new IOException("the API server did not answer", e));
        }
    }

    /** Renews the nodes' Leases, as their kubelets would: without it the nodes are tainted in the middle of a round. */
    private static void renew(ApiServer api, int first) {
        for (int i = first; i < NODES; i += RENEWERS) {
            try {
                api.send("PUT", LEASES_PATH + "/" + name(i), lease(i));
            } catch (IOException e) {
                System.out.println(
                        "rate: the Lease of " + name(i) + " is renewed in the next round: " + e.getMessage());
            }
        }
    }

    private static String lease(int number) {
        return """
            {"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"%s"},
             "spec":{"holderIdentity":"%s","leaseDurationSeconds":40,"renewTime":"%s"}}\
            """.formatted(name(number), name(number), MICROSECONDS.format(Instant.now()));
    }

    private static String name(int number) {
        return "object-%05d".formatted(number);
    }

    private static String node(int number) {
        String cards = IntStream.range(0, CARDS)
                .mapToObj(i ->
                        "{\"uuid\":\"GPU-%05d-%d\",\"index\":%d,\"minor\":%d,\"model\":\"NVIDIA T4\",\"memoryMiB\":15360}"
                                .formatted(number, i, i, i))
                .collect(Collectors.joining(","));
        String inventory = "{\"version\":1,\"unitMiB\":1024,\"cards\":[" + cards + "]}";
        String offers = "{\"cpu\":\"64\",\"memory\":\"512Gi\",\"pods\":\"110\",\"aliyun.com/gpu-mem\":\"120\","
                + "\"aliyun.com/gpu-count\":\"8\"}";
        return """
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s","annotations":{"gpushare.io/inventory":"%s"}},
             "status":{"capacity":%s,"allocatable":%s,"conditions":[{"type":"Ready","status":"True","reason":"Test"}]}}\
            """.formatted(name(number), inventory.replace("\"", "\\\""), offers, offers);
    }

    /** The cards of a node as the driver publishes them: T4s of 15 GiB. */
    private static String slice(int number) {
        String devices = IntStream.range(0, CARDS)
                .mapToObj(i -> """
                    {"name":"gpu-%05d-%d","allowMultipleAllocations":true,
                     "attributes":{"type":{"string":"gpu"},"productName":{"string":"NVIDIA T4"}},
                     "capacity":{"memory":{"value":"15Gi","requestPolicy":
                       {"default":"15Gi","validRange":{"min":"1Gi","max":"15Gi","step":"1Gi"}}}}}\
                    """.formatted(number, i))
                .collect(Collectors.joining(","));
        return """
            {"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"%s-gpushare.io-00"},
             "spec":{"driver":"gpushare.io","nodeName":"%s",
              "pool":{"name":"%s","generation":1,"resourceSliceCount":1},"devices":[%s]}}\
            """.formatted(name(number), name(number), name(number), devices);
    }

    private static String claimingPod(String name) {
        return """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},"spec":{
              "tolerations":[{"operator":"Exists"}],
              "resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"share-3"}],
              "containers":[{"name":"main","image":"example/model:1","resources":{
                "requests":{"cpu":"500m","memory":"1Gi"},"claims":[{"name":"gpu"}]}}]}}\
            """.formatted(name);
    }

    private static String pod(String name) {
        return """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},"spec":{
              "tolerations":[{"operator":"Exists"}],
              "containers":[{"name":"main","image":"example/model:1","resources":{
                "requests":{"cpu":"500m","memory":"1Gi"},"limits":{"aliyun.com/gpu-mem":"3"}}}]}}\
            """.formatted(name);
    }
}
