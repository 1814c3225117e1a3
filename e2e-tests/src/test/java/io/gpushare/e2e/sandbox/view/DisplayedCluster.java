package io.gpushare.e2e.sandbox.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster to display: realistic node and pod objects in a simulated API server, and the real extender in this JVM.
 * The size determines the objects. There are no kubelets, and the first nodes serve plugin metrics without plugins.
 */
public final class DisplayedCluster implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PROXY = "/api/v1/namespaces/kube-system/services/gpushare-schd-extender:";
    private static final Pattern VIEW_PORT = Pattern.compile("view for callers with a token on port ([0-9]+)");
    private static final Duration READY = Duration.ofMinutes(2);
    private static final List<String> NAMESPACES = List.of("inference", "research", "training", "notebooks", "default");
    private static final List<String> WORK =
            List.of("llm-serve", "embedder", "resnet-train", "notebook", "whisper", "rerank", "diffusion", "tuning");

    /** A kind of node. */
    private record Kind(String name, String model, int cards, int gib) {}

    private static final List<Kind> KINDS = List.of(
            new Kind("a100", "NVIDIA A100-SXM4-80GB", 8, 80),
            new Kind("t4", "Tesla T4", 4, 15),
            new Kind("l40s", "NVIDIA L40S", 4, 45),
            new Kind("h100", "NVIDIA H100 80GB HBM3", 8, 80));

    private static final int PLUGINS = 40;
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

    private final SimulatedApiServer api = SimulatedApiServer.start();
    private final Vertx plugins = Vertx.vertx();
    private final URI extender;
    private final Program program;

    /** Starts the cluster and waits until the extender knows all of its objects. */
    public DisplayedCluster(int nodes, Path folder) throws IOException, InterruptedException {
        this(nodes, folder, List.of());
    }

    /**
     * The same with an extender that requires client certificates, and has a port for the view.
     *
     * @param certificates a folder in which deploy/tls/make-certificates has been run
     */
    public static DisplayedCluster secured(int nodes, Path folder, Path certificates)
            throws IOException, InterruptedException {
        DisplayedCluster cluster = new DisplayedCluster(
                nodes,
                folder,
                List.of(
                        "--tls-cert-file=" + certificates.resolve("extender.crt"),
                        "--tls-key-file=" + certificates.resolve("extender.key"),
                        "--client-ca-file=" + certificates.resolve("ca.crt"),
                        "--view-port=0"));
        cluster.api.service(
                "kube-system",
                "gpushare-schd-extender",
                "view",
                URI.create("https://127.0.0.1:" + cluster.program.logged(VIEW_PORT)));
        cluster.addViewerAccount();
        return cluster;
    }

    /** Adds the account of deploy/kubectl/viewer-account.yaml. */
    public void addViewerAccount() {
        api.account("kube-system", "gpushare-viewer", true);
    }

    /** @param tls the options of an extender that serves TLS; none for plain HTTP */
    private DisplayedCluster(int nodes, Path folder, List<String> tls) throws IOException, InterruptedException {
        fill(api, plugins, nodes);
        Path root = Path.of(System.getProperty("gpushare.root", ".."))
                .toAbsolutePath()
                .normalize();
        program = Program.inThisJvm(
                "scheduler-extender",
                root.resolve("scheduler-extender"),
                Stream.concat(
                                Stream.of(
                                        "io.gpushare.extender.program.ExtenderMain",
                                        "--kubeconfig="
                                                + Files.writeString(folder.resolve("kubeconfig"), api.kubeconfig()),
                                        "--bind-address=127.0.0.1",
                                        "--claims",
                                        "--grafana-url=https://grafana.example/team",
                                        "--port=0"),
                                tls.stream())
                        .toList(),
                Map.of(),
                folder.resolve("extender.log"));
        extender = URI.create(
                (tls.isEmpty() ? "http" : "https") + "://127.0.0.1:" + program.logged(Program.EXTENDER_PORT));
        api.service("kube-system", "gpushare-schd-extender", "http", extender);
        awaitReady();
    }

    private void awaitReady() throws IOException, InterruptedException {
        long end = System.nanoTime() + Patience.of(READY).toNanos();
        // Through the API server, which does not check the extender's certificate.
        try (ApiClient client = new ApiClient(api.uri())) {
            while (System.nanoTime() < end) {
                program.checkAlive();
                try {
                    if (client.get(PROXY + "http/proxy/readyz").succeeded()) {
                        return;
                    }
                } catch (IOException e) {
                    // not listening yet
                }
                Thread.sleep(100);
            }
        }
        throw new IOException("the extender is not ready");
    }

    /** The address of the page through the service proxy, as with `kubectl proxy`. */
    public URI pageThroughApiServer() {
        return api.uri().resolve(PROXY + "http/proxy/ui/");
    }

    /** The same on the port of the view. */
    public URI pageOnTheViewPort() {
        return api.uri().resolve("/api/v1/namespaces/kube-system/services/https:gpushare-schd-extender:view/proxy/ui/");
    }

    /** The extender's own metrics, as Prometheus reads them. */
    public URI metrics() {
        return extender.resolve("/metrics");
    }

    /** Ends the extender, as the loss of its machine would. */
    public void killExtender() throws IOException {
        program.kill();
    }

    /** Creates a bound pod of a ReplicaSet with units of one card of a node. */
    public void addPod(String namespace, String name, String node, int card, int units) {
        ObjectNode pod = bound(namespace, name, node, uuid(node, card), units);
        pod.withObject("/metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("kind", "ReplicaSet")
                .put("name", "just")
                .put("uid", "uid-of-just")
                .put("controller", true);
        api.add(pod);
    }

    /** Creates a waiting pod with these annotations, whose container requests that amount of a resource. */
    public void addWaiting(
            String namespace, String name, Map<String, String> annotations, String resource, String amount) {
        api.add(unschedulable(pod(namespace, name, resource, amount, annotations)));
    }

    /** Creates a node whose device plugin offers no cards for that reason. */
    public void addWithoutCards(String name, String reason, String detail) {
        addNode(name, List.of(), reason, detail);
    }

    /** @param reason why it offers these cards not as resources */
    private void addNode(String name, List<String> has, String reason, String detail) {
        ObjectNode inventory = JSON.createObjectNode();
        ArrayNode cards = inventory.put("version", 1).put("unitMiB", 1024).putArray("cards");
        for (String card : has) {
            cards.addObject()
                    .put("uuid", card)
                    .put("index", cards.size() - 1)
                    .put("minor", cards.size() - 1)
                    .put("model", "Tesla T4")
                    .put("memoryMiB", 15 * 1024);
        }
        inventory.putObject("noCards").put("reason", reason).put("detail", detail);
        ObjectNode node = ApiClient.document("""
            {"apiVersion":"v1","kind":"Node","metadata":{},"status":{"allocatable":{"cpu":"8","memory":"32Gi",
             "aliyun.com/gpu-mem":"0","aliyun.com/gpu-count":"0"}}}\
            """);
        node.withObject("/metadata").put("name", name);
        node.withObject("/metadata/annotations").put("gpushare.io/inventory", inventory.toString());
        api.add(node);
    }

    /** Creates a node that serves claims, and a claim of no pod that has so much memory of its only card. */
    public void addClaim(String namespace, String name, String node, int gib) {
        addNode(node, List.of("GPU-of-claims"), "serves_claims", "");
        claim(namespace, name, node, "gpu-of-claims", gib, "");
    }

    /** Creates a node that serves claims, with shares of one card, a card that is taken whole, and a free one. */
    public void addClaimsNode(String node) {
        addNode(node, List.of("GPU-claims-0", "GPU-claims-1", "GPU-claims-2"), "serves_claims", "");
        addWithClaim("inference", "rerank-7c9d5b46f8-x2x4q", node, "gpu-claims-0", 4);
        addWithClaim("research", "whisper-5f6b7c8d9f-k6zjp", node, "gpu-claims-0", 6);
        addWithClaim("training", "resnet-train-0", node, "gpu-claims-1", 15);
    }

    private void addWithClaim(String namespace, String name, String node, String device, int gib) {
        String uid = api.add(ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%2$s","namespace":"%1$s"},
             "spec":{"nodeName":"%3$s","resourceClaims":[{"name":"gpu","resourceClaimName":"%2$s"}],
               "containers":[{"name":"main","image":"example/model:1","resources":{"claims":[{"name":"gpu"}]}}]},
             "status":{"phase":"Running"}}\
            """.formatted(namespace, name, node)));
        claim(namespace, name, node, device, gib, """
            ,"reservedFor":[{"resource":"pods","name":"%s","uid":"%s"}]\
            """.formatted(name, uid));
    }

    private void claim(String namespace, String name, String node, String device, int gib, String more) {
        api.add(ApiClient.document("""
            {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"%2$s","namespace":"%1$s"},
             "spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpushare"}}]}},
             "status":{"allocation":{"devices":{"results":[{"request":"gpu","driver":"gpushare.io","pool":"%3$s",
               "device":"%4$s","shareID":"0b9a3b1c-7a35-4c7e-9d4e-2f2d5b8f0a11",
               "consumedCapacity":{"memory":"%5$dGi","cores":"0","slots":"1"}}]}}%6$s}}\
            """.formatted(namespace, name, node, device, gib, more)));
    }

    public static String node(int number) {
        Kind kind = kind(number);
        return "gpu-" + kind.name() + "-" + String.format("%04d", number);
    }

    private static Kind kind(int number) {
        return KINDS.get(number % KINDS.size());
    }

    private static String uuid(String node, int card) {
        return "GPU-%s-0000-4000-8000-%012d".formatted(node.substring(node.length() - 4) + "aaaa", card);
    }

    private static void fill(SimulatedApiServer api, Vertx plugins, int nodes) {
        Random random = new Random(42);
        for (int number = 0; number < nodes; number++) {
            api.add(nodeObject(number, random));
            Kind kind = kind(number);
            List<String> used = new ArrayList<>();
            for (int card = 0; card < kind.cards(); card++) {
                // In large clusters each node has fewer pods, so that the test does not take minutes.
                pods(api, random, node(number), card, kind.gib(), nodes > 1000 ? 2 : 4, used);
            }
            if (number < PLUGINS) {
                Random chips = new Random(number);
                for (int card = 0; card < kind.cards(); card++) {
                    used.add(measured(chips, uuid(node(number), card), card > 0));
                }
                api.add(plugin(node(number), serve(plugins, String.join("", used))));
            }
        }
        waiting(api, "training", "resnet-train-xl-0", 70, Map.of("gpushare.io/select", "model = H200"));
        waiting(api, "research", "tuning-sweep-41", 90, Map.of());
        waiting(api, "research", "tuning-sweep-42", 90, Map.of());
        waiting(api, "notebooks", "notebook-jan", 8, Map.of("gpushare.io/select", "memory > lots"));
    }

    /** Serves the metrics of a node's plugin on its own port. */
    private static int serve(Vertx vertx, String metrics) {
        return vertx.createHttpServer()
                .requestHandler(request -> request.response().end(metrics))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    private static ObjectNode plugin(String node, int metricsPort) {
        return ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"plugin-of-%1$s","namespace":"kube-system",
               "labels":{"app":"gpushare","component":"gpu-share-device-plugin"},
               "annotations":{"prometheus.io/port":"%2$d"}},
             "spec":{"nodeName":"%1$s","containers":[{"name":"gpushare","image":"example/plugin:1"}]},
             "status":{"phase":"Running","podIP":"127.0.0.1"}}\
            """.formatted(node, metricsPort));
    }

    /** The metrics of one pod on a card: most pods use less than their allocation, some a little more. */
    private static String used(Random random, String card, String namespace, String pod, int gib) {
        long mib = (long) (gib * 1024 * (random.nextInt(12) == 0 ? 1.1 : 0.35 + 0.6 * random.nextDouble()));
        String labels = "{card=\"%s\",container=\"main\",namespace=\"%s\",pod=\"%s\"}".formatted(card, namespace, pod);
        int idle = random.nextInt(9) == 0 ? 1800 + random.nextInt(90_000) : random.nextInt(300);
        int percent = idle < 100 ? (int) (mib % 60) : 0;
        return "gpushare_container_memory_used_bytes" + labels + " " + (mib << 20) + "\n"
                + "gpushare_container_utilisation_ratio" + labels + " " + percent / 100.0 + "\n"
                + "gpushare_container_idle_seconds" + labels + " " + idle + "\n"
                + "gpushare_card_memory_used_bytes{card=\"%s\"} %d\n".formatted(card, mib << 20);
    }

    /** The metrics of a card's chip; no plugin reports the power of a card that can't measure it. */
    private static String measured(Random random, String card, boolean power) {
        String labels = "{card=\"%s\"} ".formatted(card);
        int percent = random.nextInt(101);
        return "gpushare_card_utilisation_ratio" + labels + percent / 100.0 + "\n"
                + "gpushare_card_temperature_celsius" + labels + (35 + percent / 3) + "\n"
                + (power ? "gpushare_card_power_watts" + labels + (60 + 3.4 * percent) + "\n" : "");
    }

    private static void pods(
            SimulatedApiServer api, Random random, String node, int card, int gib, int most, List<String> metrics) {
        int kind = random.nextInt(10);
        if (kind == 0) {
            return; // free
        }
        if (kind <= 2) {
            String namespace = NAMESPACES.get(random.nextInt(5));
            String name = name(random);
            ObjectNode pod = pod(namespace, name, "aliyun.com/gpu-count", "1", Map.of());
            api.add(placed(pod, node, "\"cards\":[\"" + uuid(node, card) + "\"]"));
            metrics.add(used(random, uuid(node, card), namespace, name, gib * 8 / 10));
            return;
        }
        int left = gib;
        for (int i = 0; i < most && left > 1; i++) {
            int units = 1 + random.nextInt(Math.max(1, Math.min(left - 1, gib / 2)));
            left -= units;
            String namespace = NAMESPACES.get(random.nextInt(5));
            String name = name(random);
            api.add(bound(namespace, name, node, uuid(node, card), units));
            metrics.add(used(random, uuid(node, card), namespace, name, units));
        }
    }

    private static String name(Random random) {
        return WORK.get(random.nextInt(WORK.size())) + "-" + suffix(random, 9) + "-" + suffix(random, 5);
    }

    /** Random letters, as Kubernetes adds them to names. */
    private static String suffix(Random random, int length) {
        return random.ints(length, 0, LETTERS.length())
                .mapToObj(i -> String.valueOf(LETTERS.charAt(i)))
                .collect(Collectors.joining());
    }

    private static ObjectNode nodeObject(int number, Random random) {
        Kind kind = kind(number);
        String name = node(number);
        ObjectNode inventory = JSON.createObjectNode();
        inventory
                .put("version", 1)
                .put("unitMiB", 1024)
                .put("driver", "580.95.05")
                .put("cuda", "13.0");
        ArrayNode cards = inventory.putArray("cards");
        for (int i = 0; i < kind.cards(); i++) {
            ObjectNode card = cards.addObject();
            card.put("uuid", uuid(name, i)).put("index", i).put("minor", i);
            card.put("model", kind.model()).put("memoryMiB", kind.gib() * 1024);
            if ((number == 1 && i == 2) || random.nextInt(150) == 0) {
                card.put("unhealthy", random.nextBoolean() ? "Xid 79" : "Xid 48");
            } else if ((number == 2 && i == 3) || random.nextInt(200) == 0) {
                card.put("cordoned", true);
            }
        }
        ObjectNode node = ApiClient.document(
                """
                {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s","annotations":{}},
                 "status":{"addresses":[{"type":"InternalIP","address":"10.0.%d.%d"}],
                   "allocatable":{"cpu":"128","memory":"1007Gi","aliyun.com/gpu-mem":"%d","aliyun.com/gpu-count":"%d"}}}\
                """.formatted(name, number / 250, number % 250 + 1, kind.cards() * kind.gib(), kind.cards()));
        node.withObject("/metadata/annotations").put("gpushare.io/inventory", inventory.toString());
        return node;
    }

    private static ObjectNode bound(String namespace, String name, String node, String card, int units) {
        ObjectNode pod = pod(namespace, name, "aliyun.com/gpu-mem", String.valueOf(units), Map.of());
        return placed(pod, node, "\"memory\":{\"" + card + "\":" + units + "}");
    }

    private static ObjectNode placed(ObjectNode pod, String node, String what) {
        pod.withObject("/metadata/annotations")
                .put(
                        "gpushare.io/allocation",
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\"," + what + "}]}");
        pod.withObject("/spec").put("nodeName", node);
        pod.withObject("/status").put("phase", "Running");
        return pod;
    }

    private static void waiting(
            SimulatedApiServer api, String namespace, String name, int units, Map<String, String> annotations) {
        api.add(unschedulable(pod(namespace, name, "aliyun.com/gpu-mem", String.valueOf(units), annotations)));
    }

    private static ObjectNode unschedulable(ObjectNode pod) {
        ObjectNode condition = pod.withObject("/status").putArray("conditions").addObject();
        condition.put("type", "PodScheduled").put("status", "False").put("reason", "Unschedulable");
        return pod;
    }

    private static ObjectNode pod(
            String namespace, String name, String resource, String amount, Map<String, String> annotations) {
        ObjectNode pod = ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","namespace":"%s","annotations":{}},
             "spec":{"containers":[{"name":"main","image":"example/model:1","resources":{"limits":{"%s":"%s"}}}]},
             "status":{"phase":"Pending"}}\
            """.formatted(name, namespace, resource, amount));
        annotations.forEach(pod.withObject("/metadata/annotations")::put);
        return pod;
    }

    @Override
    public void close() {
        program.close();
        api.close();
        plugins.close().toCompletionStage().toCompletableFuture().join();
    }
}
