package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The main path on a real Kubernetes: real kubelet, kube-scheduler and API server, both programs in their images. */
@Tag("cluster")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MainPathIT {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root"));
    private static final String MEMORY = "aliyun.com/gpu-mem";
    private static final String CARDS = "aliyun.com/gpu-count";
    private static final String[] TWO_T4 = {
        "card kind=T4 uuid-seed=a memory=15GiB", "card kind=T4 uuid-seed=b memory=15GiB"
    };
    private static final Duration NODE_STATUS = Duration.ofSeconds(45);
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Cluster cluster;
    private static Installation installation;
    private static Pods pods;
    private static String withoutADriver;

    @BeforeAll
    static void install() {
        cluster = Cluster.start(ROOT);
        installation = new Installation(cluster, ROOT);
        pods = new Pods(cluster);
        installation.install();
        withoutADriver = cluster.kubectl().run("-n", Installation.NAMESPACE, "logs", Installation.PLUGIN);
        installation.simulate(TWO_T4);
        allocatable(30, 2);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @AfterEach
    void clean() {
        pods.deleteEverything();
        installation.cards(TWO_T4);
        allocatable(30, 2);
    }

    @Test
    @Order(0)
    void bothProgramsStartFromTheirImagesWithNothingMoreThanTheManifests() {
        assertThat(withoutADriver).contains("no cards to offer");
        String sizes = installation.sizes();
        System.out.println("e2e: " + sizes.replace("\n", "\ne2e: "));
        assertThat(sizes)
                .contains("device-plugin-")
                .contains("scheduler-extender-")
                .contains("VmRSS");
        JsonNode restarts = cluster.kubectl().json("-n", Installation.NAMESPACE, "get", "pods");
        assertThat(restarts.findValuesAsText("restartCount")).containsOnly("0");
    }

    @Test
    @Order(1)
    void aDeploymentThatAsksForOneUnitRunsOnTheCardOfItsAnnotation() throws IOException {
        gpu1RunsOnItsCard();
    }

    @Test
    @Order(2)
    void freeMemoryOnTwoCardsDoesNotServeAPodThatNeedsItOnOne() {
        pods.createMemory("eight-a", 8);
        pods.createMemory("eight-b", 8);
        pods.running("eight-a");
        pods.running("eight-b");
        assertThat(cardOf("eight-a", "main")).isNotEqualTo(cardOf("eight-b", "main"));
        pods.createMemory("ten", 10);
        pods.refused("ten", "Insufficient GPU Memory in one device");
    }

    @Test
    @Order(3)
    void aCardServesMemoryOrIsTakenWhole() {
        pods.createMemory("memory", 3);
        pods.running("memory");
        allocatable(30, 1);
        pods.createWhole("whole", 1);
        pods.running("whole");
        assertThat(pods.sees("whole", "main"))
                .isEqualTo(cardOf("whole", "main"))
                .isNotEqualTo(cardOf("memory", "main"));
        allocatable(15, 1);
        pods.createWhole("waiting", 1);
        pods.refused("waiting", "Insufficient aliyun.com/gpu-count");
        pods.delete("memory");
        pods.running("waiting");
        assertThat(pods.sees("waiting", "main"))
                .isEqualTo(cardOf("waiting", "main"))
                .isNotEqualTo(cardOf("whole", "main"));
    }

    @Test
    @Order(4)
    void bothContainersOfAPodSeeItsOneCard() {
        cluster.kubectl().apply(pods.manifest("two", Map.of("first", MEMORY + ": 3", "second", MEMORY + ": 4")));
        pods.running("two");
        assertThat(pods.sees("two", "first"))
                .isEqualTo(cardOf("two", "first"))
                .isEqualTo(cardOf("two", "second"))
                .isEqualTo(pods.sees("two", "second"));
    }

    @Test
    @Order(5)
    void aBurstOfEqualPodsHasNoSwaps() {
        StringBuilder burst = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            burst.append(pods.manifest("burst-" + i, Map.of("main", MEMORY + ": 1")));
        }
        cluster.kubectl().apply(burst.toString());
        Await.until(
                Duration.ofMinutes(4),
                "30 pods run",
                pods::all,
                all -> all.size() == 30 && all.valueStream().allMatch(Pods::ready));
        Map<String, Set<String>> devices = KubeletPodResources.devices(cluster.podResourcesSocket(), "default", MEMORY);
        Set<String> cards = new TreeSet<>();
        for (int i = 0; i < 30; i++) {
            String pod = "burst-" + i;
            String card = cardOf(pod, "main");
            cards.add(card);
            assertThat(pods.sees(pod, "main")).as("what %s sees", pod).isEqualTo(card);
            assertThat(devices.get(pod + "/main"))
                    .as("the kubelet's devices of %s", pod)
                    .singleElement()
                    .asString()
                    .startsWith(card + "::");
        }
        assertThat(cards).hasSize(2);
    }

    @Test
    @Order(6)
    void restartsOfKubeletAndPluginAndALostSocketLeaveRunningPodsAlone() {
        pods.createMemory("before", 2);
        JsonNode before = pods.running("before");
        cluster.restartKubelet();
        survives(before, "after-kubelet");
        cluster.kubectl()
                .run("-n", Installation.NAMESPACE, "delete", "pod", "-l", "name=gpushare-device-plugin-ds", "--wait");
        installation.ready(Installation.PLUGIN);
        survives(before, "after-plugin");
        cluster.onNode("sh", "-c", "rm /var/lib/kubelet/device-plugins/gpushare*.sock");
        survives(before, "after-socket");
    }

    /**
     * A new pod runs within 30 s and capacity is back with a next node status; the old pod was never touched. For a moment
     * the kubelet has no devices while the API still shows them, and turns away a pod that comes just then: so it is a
     * Deployment's. It may also tell the API of that moment when it is over.
     */
    private void survives(JsonNode before, String next) {
        pods.deployMemory(next, 1);
        String pod = pods.deployed(next, Duration.ofSeconds(30));
        assertThat(pods.sees(pod, "main")).isEqualTo(cardOf(pod, "main"));
        Await.until(
                NODE_STATUS,
                "capacity is back",
                MainPathIT::allocatable,
                allocatable -> allocatable.matches("30 units, [01] cards"));
        JsonNode now = pods.pod("before");
        assertThat(now.at("/metadata/uid")).isEqualTo(before.at("/metadata/uid"));
        assertThat(Pods.ready(now)).isTrue();
        assertThat(now.at("/status/containerStatuses/0/restartCount").intValue())
                .isZero();
        pods.undeploy(next);
    }

    @Test
    @Order(7)
    void anIllCardLeavesUntilItIsWellAgain() {
        pods.createMemory("first", 1);
        String ill = cardOf(pods.running("first"), "main");
        int line = indexOf(ill);
        String[] cards = TWO_T4.clone();
        cards[line] += " xid=79#1 error=15";
        installation.cards(cards);
        Await.until(NODE_STATUS, "the ill card leaves", MainPathIT::allocatable, now -> now.equals("15 units, 1 cards"));
        pods.createMemory("second", 1);
        assertThat(cardOf(pods.running("second"), "main")).isNotEqualTo(ill);
        assertThat(Pods.ready(pods.pod("first"))).isTrue();
        installation.cards(TWO_T4);
        Await.until(
                Duration.ofSeconds(90),
                "the card returns",
                MainPathIT::allocatable,
                now -> now.equals("30 units, 0 cards"));
    }

    @Test
    @Order(8)
    @SuppressWarnings("JUnitMethodInvoked") // The same scenarios, whole, under another scheduler configuration.
    void gpusharesOldPolicyFileStillWorks() throws IOException {
        assumeThat(cluster.takesLegacyPolicy())
                .as("Kubernetes before 1.23 takes a Policy file")
                .isTrue();
        cluster.useLegacyPolicy(ROOT.resolve("deploy/scheduler/policy.json"));
        try {
            gpu1RunsOnItsCard();
            clean();
            freeMemoryOnTwoCardsDoesNotServeAPodThatNeedsItOnOne();
            clean();
            aCardServesMemoryOrIsTakenWhole();
            clean();
            bothContainersOfAPodSeeItsOneCard();
        } finally {
            clean();
            cluster.configureScheduler(ROOT.resolve("deploy/scheduler"));
        }
    }

    @Test
    @Order(9)
    void cardsOfDifferentSizeOnOneNodeOfferEachItsOwn() {
        installation.cards("card kind=L40S uuid-seed=big memory=48GiB", "card kind=A10 uuid-seed=small memory=24GiB");
        allocatable(72, 2);
        pods.createMemory("forty", 40);
        pods.running("forty");
        assertThat(indexOf(pods.sees("forty", "main")))
                .as("the large card's index")
                .isZero();
        pods.createMemory("another-forty", 40);
        pods.refused("another-forty", "Insufficient");
    }

    @Test
    @Order(9)
    void aSelectorChoosesTheKindOfCardAndAMistakeInItIsToldWithItsPlace() {
        installation.cards("card kind=V100-32 uuid-seed=v", "card kind=T4 uuid-seed=t memory=15GiB");
        allocatable(47, 2);
        cluster.kubectl().apply(selecting("large", "memory >= 24Gi", 2));
        cluster.kubectl().apply(selecting("small", "model = T4", 2));
        cluster.kubectl().apply(selecting("none", "model in (A100, H100)", 2));
        cluster.kubectl().apply(selecting("wrong", "memory >= 24", 2));

        assertThat(modelOf(cardOf(pods.running("large"), "main"))).contains("V100");
        assertThat(modelOf(cardOf(pods.running("small"), "main"))).contains("T4");
        assertThat(pods.sees("small", "main")).isEqualTo(cardOf("small", "main"));
        pods.refused("none", "No GPU card matches the pod's card selection");
        pods.refused("wrong", "annotation gpushare.io/select: at character 11 ('24')");
        String told = Await.until(
                Duration.ofSeconds(10),
                "the pod's event says where the mistake is",
                () -> events("wrong"),
                events -> events.contains("at character 11 ('24')"));
        System.out.println("e2e: " + told.strip().replaceAll("(?s).*\n", ""));
    }

    private static String selecting(String name, String selector, int units) {
        return pods.manifest(name, Map.of("gpushare.io/select", selector), Map.of("main", MEMORY + ": " + units));
    }

    private static String modelOf(String uuid) {
        return inventory()
                .valueStream()
                .filter(card -> card.path("uuid").asText().equals(uuid))
                .findFirst()
                .orElseThrow()
                .path("model")
                .asText();
    }

    @Test
    @Order(9)
    void aMemoryPodOfTwoCardsSeesBothOfThem() {
        cluster.kubectl()
                .apply(pods.manifest("pair", Map.of("gpushare.io/cards", "2"), Map.of("main", MEMORY + ": 20")));
        pods.running("pair");
        assertThat(pods.sees("pair", "main").split(",")).containsExactlyInAnyOrderElementsOf(placeable());
        pods.createMemory("six", 6);
        pods.refused("six", "Insufficient GPU Memory in one device");
    }

    /** The cards that are there now. */
    private static List<String> placeable() {
        return inventory()
                .valueStream()
                .filter(card -> !card.has("ill"))
                .map(card -> card.path("uuid").asText())
                .toList();
    }

    @Test
    @Order(10)
    void eightCardsOf141GibRegisterUnderTheKubeletsLimit() {
        String[] eight = new String[8];
        for (int i = 0; i < 8; i++) {
            eight[i] = "card kind=H200-141 memory=141GiB uuid-seed=h" + i;
        }
        installation.cards(eight);
        allocatable(8 * 141, 8);
    }

    @Test
    @Order(11)
    void whatEachContainerReallyUsesIsToldAndWhoUsesTooMuchGetsAnEvent() {
        pods.createMemory("greedy", 2);
        String card = cardOf(pods.running("greedy"), "main");
        pods.createMemory("modest", 3);
        assertThat(cardOf(pods.running("modest"), "main"))
                .as("both share a card")
                .isEqualTo(card);
        int at = indexOf(card);
        Instant shown = Instant.now();
        installation.cards(
                TWO_T4[0],
                TWO_T4[1],
                "process pid=%s card=%d memory=5GiB utilisation=60".formatted(processOf("greedy"), at),
                "process pid=%s card=%d memory=2GiB utilisation=20".formatted(processOf("modest"), at));

        Await.until(
                Duration.ofSeconds(30),
                "the pod that uses too much is told so",
                () -> events("greedy"),
                events -> events.contains("GpuMemoryOverUse"));
        System.out.println("e2e: over-use told after "
                + Duration.between(shown, Instant.now()).toMillis() + " ms");
        List<String> used = Await.until(
                Duration.ofSeconds(30),
                "the metrics tell both",
                () -> metrics()
                        .lines()
                        .filter(line -> line.startsWith("gpushare_container_memory_used_bytes"))
                        .toList(),
                lines -> lines.size() == 2);
        used.forEach(line -> System.out.println("e2e: " + line));
        assertThat(used)
                .anyMatch(line -> line.contains("pod=\"greedy\"") && line.endsWith(" 5.36870912E9"))
                .anyMatch(line -> line.contains("pod=\"modest\"") && line.endsWith(" 2.147483648E9"));
        assertThat(events("modest")).doesNotContain("GpuMemoryOverUse");
    }

    /** The process of the pod's one container, by the node's PIDs. */
    private static String processOf(String pod) {
        String id = pods.pod(pod)
                .at("/status/containerStatuses/0/containerID")
                .asText()
                .replaceFirst(".*//", "");
        String file = cluster.onNode("sh", "-c", "grep -l " + id + " /proc/[0-9]*/cgroup | head -n 1");
        return file.strip().replaceFirst("^/proc/", "").replaceFirst("/cgroup$", "");
    }

    private static String events(String pod) {
        return cluster.kubectl()
                .run("-n", "default", "get", "events", "--field-selector", "involvedObject.name=" + pod);
    }

    /** What the node's plugin tells Prometheus, by way of the API server. */
    private static String metrics() {
        String plugin = cluster.kubectl()
                .json("-n", Installation.NAMESPACE, "get", "pods", "-l", "name=gpushare-device-plugin-ds")
                .at("/items/0/metadata/name")
                .asText();
        return cluster.kubectl()
                .run("get", "--raw", "/api/v1/namespaces/kube-system/pods/" + plugin + ":9450/proxy/metrics");
    }

    /** Last, since the extender stays so. */
    @Test
    @Order(12)
    void overTlsTheSchedulerBindsAndNobodyWithoutItsCertificate() throws IOException {
        assumeThat(cluster).as("a kube-scheduler that sees the node's files").isInstanceOf(LocalCluster.class);
        Path made = cluster.sharedFolder().resolve("certificates");
        Path tls = ROOT.resolve("deploy/tls");
        Command.output(NODE_STATUS, List.of(tls.resolve("make-certificates").toString(), made.toString()));
        cluster.kubectl()
                .run(
                        "-n",
                        Installation.NAMESPACE,
                        "create",
                        "secret",
                        "generic",
                        "gpushare-schd-extender-tls",
                        "--from-file=tls.crt=" + made.resolve("extender.crt"),
                        "--from-file=tls.key=" + made.resolve("extender.key"),
                        "--from-file=ca.crt=" + made.resolve("ca.crt"));
        String patch = tls.resolve("extender-patch.yaml").toString();
        cluster.kubectl().run("-n", Installation.NAMESPACE, "patch", Installation.EXTENDER, "--patch-file", patch);
        installation.ready(Installation.EXTENDER);
        // kube-scheduler still calls over plain HTTP.
        pods.createMemory("over-tls", 1);
        cluster.configureScheduler(schedulerOverTls(made));
        pods.running("over-tls");
        assertThat(pods.sees("over-tls", "main")).isEqualTo(cardOf("over-tls", "main"));
        String bind = "https://127.0.0.1:32766/gpushare-scheduler/bind";
        List<String> call = List.of("curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", "--data", "{}");
        assertThat(onNode(call, bind)).isEqualTo("401");
        assertThat(onNode(call, "--cert", made + "/scheduler.crt", "--key", made + "/scheduler.key", bind))
                .isEqualTo("200");
    }

    private static String onNode(List<String> command, String... more) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of(more));
        return cluster.onNode(whole.toArray(String[]::new));
    }

    /** The scheduler's configuration with the extenders of deploy/tls, as deploy/README.md says. */
    private static Path schedulerOverTls(Path certificates) throws IOException {
        String name = "config-v1beta1.yaml";
        String plain = Files.readString(ROOT.resolve("deploy/scheduler").resolve(name));
        String extenders = Files.readString(ROOT.resolve("deploy/tls/extenders.yaml"))
                .replace("/etc/kubernetes/gpushare", certificates.toString());
        Path folder = Files.createDirectories(cluster.sharedFolder().resolve("scheduler-over-tls"));
        Files.writeString(folder.resolve(name), plain.substring(0, plain.indexOf("extenders:")) + extenders);
        return folder;
    }

    private void gpu1RunsOnItsCard() throws IOException {
        String sample = Files.readString(ROOT.resolve("deploy/samples/deployment-gpu-1.yaml"));
        String image = sample.lines()
                .filter(line -> line.contains("image:"))
                .findFirst()
                .orElseThrow()
                .replaceFirst(".*image: *", "");
        cluster.kubectl().apply(sample.replace(image, cluster.workloadImage()).replace("infinity", "100000"));
        JsonNode pod = Await.until(
                        Duration.ofSeconds(60),
                        "gpu-1 runs",
                        pods::all,
                        all -> all.size() == 1 && Pods.ready(all.get(0)))
                .get(0);
        String name = pod.at("/metadata/name").textValue();
        assertThat(pods.sees(name, "gpu-1")).isEqualTo(cardOf(pod, "gpu-1")).startsWith("GPU-");
        assertThat(pod.at("/metadata/annotations/ALIYUN_COM_GPU_MEM_POD").textValue())
                .isEqualTo("1");
    }

    private static String cardOf(String pod, String container) {
        return cardOf(pods.pod(pod), container);
    }

    /** The cards that the pod's annotation names for the container, as the environment variable would write them. */
    private static String cardOf(JsonNode pod, String container) {
        String written = pod.at("/metadata/annotations/gpushare.io~1allocation").asText();
        try {
            for (JsonNode entry : JSON.readTree(written).path("containers")) {
                if (entry.path("name").asText().equals(container)) {
                    return entry.has("cards")
                            ? entry.get("cards")
                                    .valueStream()
                                    .map(JsonNode::asText)
                                    .collect(Collectors.joining(","))
                            : String.join(",", new HashSet<>(fieldNames(entry.get("memory"))));
                }
            }
        } catch (IOException e) {
            throw new AssertionError("the allocation annotation is no JSON: " + written, e);
        }
        throw new AssertionError("no allocation for container " + container + " in: " + written);
    }

    private static List<String> fieldNames(JsonNode object) {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }

    /** The driver's index of that card; cards that were lost stay in the inventory, so its place there says nothing. */
    private static int indexOf(String uuid) {
        return inventory()
                .valueStream()
                .filter(card -> card.path("uuid").asText().equals(uuid))
                .findFirst()
                .orElseThrow()
                .path("index")
                .intValue();
    }

    private static JsonNode inventory() {
        JsonNode node = cluster.kubectl().json("get", "node", cluster.node());
        String written = node.at("/metadata/annotations/gpushare.io~1inventory").asText();
        try {
            return JSON.readTree(written).path("cards");
        } catch (IOException e) {
            throw new AssertionError("the inventory annotation is no JSON: " + written, e);
        }
    }

    private static void allocatable(int units, int cards) {
        Await.until(
                NODE_STATUS,
                "the node offers " + units + " units and " + cards + " cards",
                MainPathIT::allocatable,
                now -> now.equals(units + " units, " + cards + " cards"));
    }

    private static String allocatable() {
        JsonNode node = cluster.kubectl().json("get", "node", cluster.node()).at("/status/allocatable");
        return node.path(MEMORY).asText() + " units, " + node.path(CARDS).asText() + " cards";
    }
}
