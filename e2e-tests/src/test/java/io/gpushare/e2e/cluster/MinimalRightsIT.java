package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.Program;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each right of the two service accounts is needed: with that one taken away a real API server refuses what the program
 * tries, its log says so, and something that users see does not come about; with it given back it does.
 */
@Tag("cluster")
class MinimalRightsIT {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root"));
    private static final String PLUGIN = "gpushare-device-plugin";
    private static final String EXTENDER = "gpushare-schd-extender";
    private static final String SYSTEM = "kube-system";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String EVENTS = "/api/v1/namespaces/default/events";
    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/" + EXTENDER;
    private static final String CARD = "GPU-00000000-0000-4000-8000-000000000001";
    private static final String CARDS = "card kind=T4 uuid=" + CARD + " memory=15GiB";
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration REFUSAL = Duration.ofSeconds(20);
    private static final int LINES = 60;

    @TempDir
    private static Path folder;

    private static LocalCluster cluster;
    private static ApiServer api;
    private static HttpClient http;
    private static int port;
    private static Path log;
    private static Program program;
    private static String runs = PLUGIN;
    private static String settled = "";
    private static int pods;

    @BeforeAll
    static void install() throws IOException {
        cluster = LocalCluster.start(ROOT);
        api = ApiServer.of(cluster.kubectl());
        http = HttpClient.newHttpClient();
        cluster.kubectl().run("apply", "-f", ROOT.resolve("deploy/manifests").toString());
        // The programs run from here, as the service accounts: a right can be taken away between two of their calls.
        cluster.kubectl().run("-n", SYSTEM, "delete", Installation.PLUGIN, Installation.EXTENDER);
        Files.copy(
                Path.of(System.getProperty("gpushare.simulated.driver")),
                cluster.sharedFolder().resolve("libnvidia-ml.so.1"));
        cards(CARDS);
        log = log(PLUGIN);
        program = plugin(log);
    }

    @AfterAll
    static void stop() {
        if (program != null) {
            program.close();
        }
        if (cluster != null) {
            api.close();
            http.close();
            cluster.close();
        }
    }

    /** One verb of one rule in deploy/manifests. */
    record Right(String kind, String account, int rule, String resource, String verb) {
        @Override
        public String toString() {
            return account + ": " + verb + " " + resource;
        }

        String path() {
            return "/apis/rbac.authorization.k8s.io/v1/"
                    + (kind.equals("Role") ? "namespaces/" + SYSTEM + "/roles/" : "clusterroles/") + account;
        }

        /** As the API server words it. */
        String refusal() {
            return "cannot " + verb + " resource \"" + resource + "\"";
        }
    }

    private record Seen(boolean done, boolean refused) {}

    static Stream<Right> rights() throws IOException {
        List<Right> rights = new ArrayList<>();
        for (Map<String, Object> role : Permissions.roles(ROOT)) {
            String account =
                    String.valueOf(AdmissionPolicies.map(role.get("metadata")).get("name"));
            List<Map<String, Object>> rules = AdmissionPolicies.list(role.get("rules"));
            for (int rule = 0; rule < rules.size(); rule++) {
                for (String resource : AdmissionPolicies.strings(rules.get(rule).get("resources"))) {
                    for (String verb : AdmissionPolicies.strings(rules.get(rule).get("verbs"))) {
                        rights.add(new Right(String.valueOf(role.get("kind")), account, rule, resource, verb));
                    }
                }
            }
        }
        return rights.stream();
    }

    /**
     * A pod that goes while its container is about to start makes a kubelet call Allocate in two threads at once, and kills
     * one of version 1.20 (devicemanager.ManagerImpl.GetDeviceRunContainerOptions: it has no lock on devicesToReuse).
     */
    @BeforeEach
    void empty() throws IOException {
        Await.until(PATIENCE, "no pod is about to start", MinimalRightsIT::starting, List::isEmpty);
        api.send("DELETE", PODS + "?gracePeriodSeconds=0", "");
        api.send("DELETE", EVENTS, "");
    }

    @AfterEach
    void alive() throws IOException {
        program.checkAlive();
    }

    @ParameterizedTest
    @MethodSource("rights")
    void withoutThatRightSomethingDoesNotComeAbout(Right right) throws Exception {
        try {
            isNeeded(right);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + whatIsThere(), e);
        }
    }

    private static void isNeeded(Right right) throws Exception {
        running(right.account());
        Callable<Boolean> act = act(right);
        JsonNode whole = api.get(right.path()).body();
        long before = Files.size(log);
        try {
            put(right.path(), without(whole, right));
            restartFor(right);
            Seen seen = Await.until(
                    REFUSAL,
                    "the log of " + right.account() + " says: " + right.refusal(),
                    () -> new Seen(call(act), refused(right, before)),
                    Seen::refused);
            if (!right.verb().equals("watch")) { // without it the program lists all again, every second
                assertThat(seen.done())
                        .as("it came about without the right " + right)
                        .isFalse();
            }
        } finally {
            put(right.path(), whole);
        }
        Await.until(
                PATIENCE, "what needs " + right + " comes about once it is given back", () -> call(act), done -> done);
    }

    /** What is tried again and again, and answers whether it came about. */
    private static Callable<Boolean> act(Right right) throws IOException {
        return switch (right.toString()) {
            case PLUGIN + ": patch nodes" -> newInventory();
            case PLUGIN + ": get nodes" -> newCordon();
            case PLUGIN + ": list pods", PLUGIN + ": watch pods", PLUGIN + ": patch pods" ->
                () -> written(aPodOnTheNode(""));
            case PLUGIN + ": create events" -> () -> toldOf(aPodOnTheNode(""));
            case EXTENDER + ": list nodes",
                    EXTENDER + ": watch nodes",
                    EXTENDER + ": list pods",
                    EXTENDER + ": watch pods" -> MinimalRightsIT::ready;
            case EXTENDER + ": get pods", EXTENDER + ": create pods/binding" -> MinimalRightsIT::binds;
            case EXTENDER + ": patch pods" -> aPodForWhichThereIsRoom();
            case EXTENDER + ": create events" -> () -> toldOf(aPodOnTheNode("nonsense"));
            case EXTENDER + ": create leases", EXTENDER + ": get leases", EXTENDER + ": patch leases" ->
                aLeaseMadeAnew();
            default -> throw new AssertionError("nothing here needs the right " + right + ": is it needed at all?");
        };
    }

    /** Lists and watches are asked for when a program starts. */
    private static void restartFor(Right right) throws IOException {
        if (right.verb().equals("list") || right.verb().equals("watch")) {
            start(right.account());
        }
    }

    private static void running(String account) throws IOException {
        if (!runs.equals(account)) {
            start(account);
        }
        if (!settled.equals(account)) {
            settled = account;
            Await.until(
                    PATIENCE,
                    account + " has done all that it does at its start",
                    () -> call(account.equals(PLUGIN) ? MinimalRightsIT::offered : MinimalRightsIT::ready),
                    done -> done);
        }
    }

    private static void start(String account) throws IOException {
        program.close();
        runs = account;
        log = log(account);
        program = account.equals(PLUGIN) ? plugin(log) : extender(log);
    }

    private static Path log(String account) throws IOException {
        return Files.createTempFile(folder, account, ".log");
    }

    private static Program plugin(Path log) throws IOException {
        return Program.start(
                PLUGIN,
                ROOT.resolve("device-plugin"),
                96,
                List.of(
                        "io.gpushare.plugin.PluginMain",
                        "--kubeconfig=" + kubeconfig(PLUGIN),
                        "--node-name=" + cluster.node(),
                        "--nvml-library=" + cluster.sharedFolder().resolve("libnvidia-ml.so.1"),
                        "--kubelet-dir=" + cluster.kubeletFolder()),
                Map.of(
                        "GPUSHARE_SIMULATED_CARDS",
                        cluster.sharedFolder().resolve("cards").toString()),
                log);
    }

    private static Program extender(Path log) throws IOException {
        port = Program.freePort();
        return Program.start(
                EXTENDER,
                ROOT.resolve("scheduler-extender"),
                96,
                List.of(
                        "io.gpushare.extender.ExtenderMain",
                        "--bind-address=127.0.0.1",
                        "--port=" + port,
                        "--kubeconfig=" + kubeconfig(EXTENDER),
                        "--leader-elect=true",
                        "--lease-namespace=" + SYSTEM),
                Map.of(),
                log);
    }

    /** The administrator's kubeconfig, with that service account's token. */
    private static Path kubeconfig(String account) throws IOException {
        String secret = api.get("/api/v1/namespaces/" + SYSTEM + "/serviceaccounts/" + account)
                .body()
                .at("/secrets/0/name")
                .textValue();
        String token = new String(
                Base64.getDecoder()
                        .decode(api.get("/api/v1/namespaces/" + SYSTEM + "/secrets/" + secret)
                                .body()
                                .at("/data/token")
                                .textValue()),
                StandardCharsets.UTF_8);
        ObjectNode config = (ObjectNode) cluster.kubectl().json("config", "view", "--raw", "--minify");
        ((ObjectNode) config.at("/users/0")).putObject("user").put("token", token);
        return Files.writeString(folder.resolve(account + ".kubeconfig"), config.toString());
    }

    private static JsonNode without(JsonNode role, Right right) {
        ObjectNode changed = role.deepCopy();
        ArrayNode verbs = (ArrayNode) changed.path("rules").path(right.rule()).path("verbs");
        for (int i = verbs.size() - 1; i >= 0; i--) {
            if (verbs.get(i).textValue().equals(right.verb())) {
                verbs.remove(i);
            }
        }
        if (verbs.isEmpty()) {
            ((ArrayNode) changed.path("rules")).remove(right.rule());
        }
        return changed;
    }

    private static void put(String path, JsonNode role) throws IOException {
        ObjectNode document = role.deepCopy();
        ((ObjectNode) document.path("metadata")).remove("resourceVersion");
        ApiServer.Answer answer = api.send("PUT", path, document.toString());
        assertThat(answer.code()).as(answer.body().toString()).isEqualTo(200);
    }

    private static List<String> starting() {
        try {
            return api.get(PODS)
                    .body()
                    .path("items")
                    .valueStream()
                    .filter(pod -> pod.at("/spec").has("nodeName")
                            && pod.at("/status/phase").asText().equals("Pending"))
                    .map(pod -> pod.at("/metadata/name").asText())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether there is a kubelet, the pods, and the end of the program's log. */
    private static String whatIsThere() throws IOException {
        StringBuilder text = new StringBuilder("the kubelet runs: " + cluster.runs("kubelet") + "\n");
        for (JsonNode pod : api.get(PODS).body().path("items")) {
            text.append(pod.at("/metadata/name").asText())
                    .append(' ')
                    .append(pod.at("/metadata/creationTimestamp").asText())
                    .append(' ')
                    .append(pod.at("/metadata/annotations"))
                    .append(' ')
                    .append(pod.at("/status"))
                    .append('\n');
        }
        List<String> lines = Files.readAllLines(log);
        lines.subList(Math.max(0, lines.size() - LINES), lines.size())
                .forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    private static boolean refused(Right right, long from) {
        try (InputStream text = Files.newInputStream(log)) {
            // A program that was started for this right has a log of its own.
            text.skipNBytes(right.verb().equals("list") || right.verb().equals("watch") ? 0 : from);
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).contains(right.refusal());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean call(Callable<Boolean> act) {
        try {
            return act.call();
        } catch (Exception e) {
            return false;
        }
    }

    private static void cards(String lines) throws IOException {
        Files.writeString(
                cluster.sharedFolder().resolve("cards"), "driver node=" + cluster.node() + "\n" + lines + "\n");
    }

    private static String inventory() throws IOException {
        return api.get("/api/v1/nodes/" + cluster.node())
                .body()
                .at("/metadata/annotations/gpushare.io~1inventory")
                .asText();
    }

    /** A card more or less; the inventory must have as many. */
    private static Callable<Boolean> newInventory() throws IOException {
        String another = CARD.replaceFirst("1$", "2");
        boolean had = inventory().contains(another);
        return () -> {
            cards(had ? CARDS : CARDS + "\n" + CARDS.replace(CARD, another));
            return inventory().contains(another) != had;
        };
    }

    /** A cordon, or its end; the inventory must tell of it. */
    private static Callable<Boolean> newCordon() throws IOException {
        boolean had = inventory().contains("\"cordoned\":true");
        return () -> {
            cluster.kubectl()
                    .run(
                            "annotate",
                            "node",
                            cluster.node(),
                            "--overwrite",
                            "gpushare.io/cordon" + (had ? "-" : "=" + CARD));
            return inventory().contains("\"cordoned\":true") != had;
        };
    }

    private static boolean offered() throws IOException {
        JsonNode offered = api.get("/api/v1/nodes/" + cluster.node()).body().at("/status/allocatable");
        return offered.path("aliyun.com/gpu-mem").asInt() > 0;
    }

    private static boolean ready() throws Exception {
        return http.send(
                                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/readyz"))
                                        .build(),
                                BodyHandlers.discarding())
                        .statusCode()
                == 200;
    }

    /** A pod that nobody scheduled; its name. */
    private static String aPodOnTheNode(String allocation) throws IOException {
        return pod("\"nodeName\":\"" + cluster.node() + "\",", allocation);
    }

    private static String pod(String node, String allocation) throws IOException {
        String name = "pod-" + ++pods;
        ApiServer.Answer answer = api.send("POST", PODS, """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","annotations":{%s}},
             "spec":{%s"schedulerName":"nobody","terminationGracePeriodSeconds":0,"containers":[
              {"name":"main","image":"%s","imagePullPolicy":"IfNotPresent","command":["sleep","1000"],
               "resources":{"limits":{"aliyun.com/gpu-mem":"1"}}}]}}\
            """.formatted(
                        name,
                        allocation.isEmpty() ? "" : "\"gpushare.io/allocation\":\"" + allocation + "\"",
                        node,
                        cluster.workloadImage()));
        assertThat(answer.succeeded()).as(answer.body().toString()).isTrue();
        return name;
    }

    private static boolean written(String pod) throws Exception {
        return within(() -> api.get(PODS + "/" + pod)
                .body()
                .at("/metadata/annotations/gpushare.io~1allocation")
                .asText()
                .contains(CARD.substring(0, 30)));
    }

    private static boolean toldOf(String pod) throws Exception {
        return within(() -> api.get(EVENTS + "?fieldSelector=involvedObject.name=" + pod)
                .body()
                .path("items")
                .valueStream()
                .anyMatch(event -> event.path("reason").asText().startsWith("GpuAllocation")));
    }

    private static boolean within(Callable<Boolean> looks) throws Exception {
        for (int i = 0; i < 25; i++) {
            if (looks.call()) {
                return true;
            }
            Thread.sleep(200);
        }
        return false;
    }

    private static boolean binds() throws Exception {
        String name = pod("", "");
        String uid = api.get(PODS + "/" + name).body().at("/metadata/uid").asText();
        String body = """
            {"PodName":"%s","PodNamespace":"default","PodUID":"%s","Node":"%s"}\
            """.formatted(name, uid, cluster.node());
        http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/gpushare-scheduler/bind"))
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.discarding());
        return !api.get(PODS + "/" + name).body().at("/spec/nodeName").asText().isEmpty();
    }

    /** A pod that kube-scheduler refused, and fits: the extender must show it to kube-scheduler again. */
    private static Callable<Boolean> aPodForWhichThereIsRoom() throws IOException {
        String inventory = "{\"version\":1,\"unitMiB\":1024,\"cards\":[{\"uuid\":\"GPU-room\",\"index\":0,\"minor\":0,"
                + "\"model\":\"T4\",\"memoryMiB\":15360}]}";
        // A node without a kubelet, so that nobody takes back what it offers.
        api.send("POST", "/api/v1/nodes", """
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"roomy","annotations":{"gpushare.io/inventory":"%s"}},
             "status":{"capacity":{"aliyun.com/gpu-mem":"15"},"allocatable":{"aliyun.com/gpu-mem":"15"}}}\
            """.formatted(inventory.replace("\"", "\\\"")));
        return () -> {
            String pod = PODS + "/" + pod("", "");
            ObjectNode refused = (ObjectNode) api.get(pod).body();
            refused.withObject("/status")
                    .putArray("conditions")
                    .addObject()
                    .put("type", "PodScheduled")
                    .put("status", "False")
                    .put("reason", "Unschedulable");
            api.send("PUT", pod + "/status", refused.toString());
            return within(() -> !api.get(pod)
                    .body()
                    .at("/metadata/annotations/gpushare.io~1room-seen")
                    .asText()
                    .isEmpty());
        };
    }

    /** A Lease that was deleted is there again, with its holder. */
    private static Callable<Boolean> aLeaseMadeAnew() throws IOException {
        List<Boolean> deleted = new ArrayList<>();
        return () -> {
            if (deleted.isEmpty()) {
                deleted.add(api.send("DELETE", LEASE, "").succeeded());
            }
            return !api.get(LEASE).body().at("/spec/holderIdentity").asText().isEmpty();
        };
    }
}
