package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests by resources, gpushare's and HAMi's, on a node that serves claims. kube-scheduler knows no extender; the
 * program runs only to make the templates.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
class OldRequestsIT {
    private static final List<String> TEMPLATES =
            List.of("device-plugin.yaml", "dra.yaml", "scheduler-extender.yaml", "requests.yaml");
    private static final String VALUES = "dra: {enabled: true, requests: true}\nhami: {enabled: true}";
    private static final String MEMORY = "aliyun.com/gpu-mem: ";
    private static final String OTHER = "not-opted-in";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private static Path folder;

    private static SharedCluster shared;
    private static Cluster cluster;
    private static Pods pods;
    private static ClaimsNode node;

    @BeforeAll
    static void serveClaims(SharedCluster sharedCluster) throws IOException {
        shared = sharedCluster;
        cluster = shared.cluster();
        pods = shared.pods();
        ClusterScenario.needs(cluster, "claims");
        // gpushare's demo needs cards of 16,276 MiB.
        node = new ClaimsNode(
                shared,
                folder,
                "memoryUnit: MiB",
                VALUES,
                TEMPLATES,
                "card kind=T4 uuid-seed=a memory=16276MiB",
                "card kind=T4 uuid-seed=b memory=16276MiB");
        shared.installation().ready(Installation.EXTENDER);
        cluster.kubectl().run("label", "namespace", "default", "gpushare.io/requests=claims");
        cluster.kubectl().run("create", "namespace", OTHER);
    }

    @AfterAll
    static void end() {
        if (node != null) {
            cluster.kubectl().run("label", "namespace", "default", "gpushare.io/requests-");
            cluster.kubectl().run("delete", "namespace", OTHER, "--wait=false");
            node.end();
        }
    }

    @AfterEach
    void noClaimIsLeft() {
        pods.deleteEverything();
        Await.until(PATIENCE, "the claims are gone with their pods", OldRequestsIT::claims, List::isEmpty);
    }

    private static List<JsonNode> claims() {
        return cluster.kubectl()
                .json("get", "resourceclaims", "-A")
                .path("items")
                .valueStream()
                .toList();
    }

    /** AliyunContainerService's samples 1 to 4: three shares of half a card, and a fourth that needs a whole card. */
    @Test
    void theFourStepsOfGpusharesDemo() {
        Set<String> earlier = templates(); // of other tests: they are kept for minutes
        for (int step = 1; step <= 3; step++) {
            deploy("binpack-" + step, 8138);
        }
        List<String> cards = Stream.of("binpack-1", "binpack-2", "binpack-3")
                .map(OldRequestsIT::deployed)
                .map(pod -> sees(pod, "main"))
                .toList();
        assertThat(cards).allMatch(seen -> seen.endsWith(" 8138 8138"));
        assertThat(new TreeSet<>(cards)).hasSize(2);
        deploy("binpack-4", 16276);
        Await.until(
                PATIENCE,
                "the fourth waits",
                () -> cluster.kubectl().run("-n", "default", "get", "pods", "-l", "app=binpack-4", "-o", "yaml"),
                pod -> pod.contains("cannot allocate all claims"));
        // The one that has a card alone.
        int alone = cards.get(0).equals(cards.get(1)) ? 3 : cards.get(0).equals(cards.get(2)) ? 2 : 1;
        pods.undeploy("binpack-" + alone);
        assertThat(sees(deployed("binpack-4"), "main"))
                .startsWith(cards.get(alone - 1).split(" ", -1)[0]);
        Set<String> made = templates();
        made.removeAll(earlier);
        assertThat(made).containsExactlyInAnyOrder("gpushare.1x-8138mi", "gpushare.1x-16276mi");
        assertThat(claims())
                .hasSize(3)
                .allSatisfy(claim -> assertThat(
                                claim.at("/metadata/ownerReferences/0/kind").asText())
                        .isEqualTo("Pod"));
    }

    /**
     * What HAMi's examples request (examples/nvidia of its repository), on a node with two T4.
     *
     * @param limits {@code gpu}, {@code gpumem}, …
     * @param sees the number of cards, and the MiB of each if not all
     */
    private record Example(String name, Map<String, String> annotations, String limits, int cards, String sees) {}

    @Test
    void tenOfHamisExamples() {
        String a = uuid(0);
        String b = uuid(1);
        List<Example> examples = List.of(
                new Example("default-use", Map.of(), "gpu: 2, gpumem: 3000, gpucores: 30", 2, "3000"),
                new Example("default-use-legacy", Map.of(), "gpu: 2", 2, ""),
                new Example("example", Map.of(), "gpu: 1, gpumem: 3000", 1, "3000"),
                new Example("sglang-gpu-sharing", Map.of(), "gpu: 1, gpumem: 12000, gpucores: 30", 1, "12000"),
                new Example("use-as-normal", Map.of(), "gpu: 2", 2, ""),
                new Example("use-exclusive-card", Map.of(), "gpu: 2, gpumem-percentage: 100, gpucores: 100", 2, ""),
                new Example("specify-card-type-to-use", Map.of("use-gputype", "T4,V100"), "gpu: 2", 2, ""),
                new Example("specify-card-type-not-use", Map.of("nouse-gputype", "A100,1080"), "gpu: 2", 2, ""),
                new Example("specify-uuid-to-use", Map.of("use-gpuuuid", b), "gpu: 1", 1, ""),
                new Example("specify-uuid-not-use", Map.of("nouse-gpuuuid", b), "gpu: 1", 1, ""),
                new Example("specify-index-to-use", Map.of("use-gpuindexes", "1"), "gpu: 1", 1, ""),
                new Example("specify-index-not-use", Map.of("nouse-gpuindexes", "1"), "gpu: 1", 1, ""));
        for (Example example : examples) {
            Map<String, String> annotations = example.annotations().entrySet().stream()
                    .collect(Collectors.toMap(each -> "nvidia.com/" + each.getKey(), Map.Entry::getValue));
            String limits = Stream.of(example.limits().split(", "))
                    .map(each -> "nvidia.com/" + each)
                    .collect(Collectors.joining(", "));
            create(example.name(), annotations, Map.of("main", limits));
            String[] seen = sees(example.name(), "main").split(" ", -1);
            assertThat(Set.of(seen[0].split(","))).as(example.name()).hasSize(example.cards());
            assertThat(seen.length > 1 ? seen[1] : "").as(example.name()).isEqualTo(example.sees());
            if (example.name().contains("uuid") || example.name().contains("index")) {
                assertThat(seen[0]).as(example.name()).isEqualTo(example.name().contains("not") ? a : b);
            }
            pods.delete(example.name());
        }
        create("of-no-such-type", Map.of("nvidia.com/use-gputype", "A100,V100"), Map.of("main", "nvidia.com/gpu: 1"));
        pods.refused("of-no-such-type", "cannot allocate all claims");
    }

    @Test
    void allContainersOfAPodHaveOneCardAndAnInitContainerUsesTheShareOfALaterOne() {
        String container = """
            - name: %s
              image: %s
              imagePullPolicy: IfNotPresent
              command: [sh, -c, "echo card: $NVIDIA_VISIBLE_DEVICES $GPUSHARE_MEMORY_MIB; %s"]
              resources: {limits: {%s}}
            """;
        String image = cluster.workloadImage();
        cluster.kubectl()
                .apply("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: many, namespace: default}
                        spec:
                          terminationGracePeriodSeconds: 1
                          initContainers:
                        """
                        + (container.formatted("prepares", image, "true", MEMORY + 4000)
                                        + container.formatted("beside", image, "exec sleep 100000", MEMORY + 1000)
                                        + "  restartPolicy: Always\n")
                                .indent(4)
                        + "  containers:\n"
                        + (container.formatted("first", image, "exec sleep 100000", MEMORY + 3000)
                                        + container.formatted("plain", image, "exec sleep 100000", "cpu: 1")
                                        + container.formatted("second", image, "exec sleep 100000", MEMORY + 5000))
                                .indent(4));
        pods.running("many");
        String card = pods.sees("many", "first").split(" ", -1)[0];
        assertThat(pods.sees("many", "first")).isEqualTo(card + " 3000");
        assertThat(pods.sees("many", "second")).isEqualTo(card + " 5000");
        assertThat(pods.sees("many", "beside")).isEqualTo(card + " 1000");
        assertThat(pods.sees("many", "prepares")).as("the request of second").isEqualTo(card + " 5000");
        assertThat(cluster.kubectl().run("-n", "default", "logs", "many", "-c", "plain"))
                .startsWith("card:")
                .doesNotContain("GPU-");
        JsonNode pod = pods.pod("many");
        assertThat(pod.at("/spec").toString()).doesNotContain("gpu-mem");
        assertThat(pod.at("/spec/resourceClaims/0/resourceClaimTemplateName").asText())
                .isEqualTo("gpushare-one.1x-1000mi.1x-3000mi.1x-5000mi");
        assertThat(claims().getFirst().at("/status/allocation/devices/results")).hasSize(3);

        // What is left of the two cards is 16,276 MiB, and 7,276 MiB of the other one.
        create("whole", Map.of(), Map.of("main", "aliyun.com/gpu-count: 1"));
        assertThat(sees("whole", "main"))
                .startsWith("GPU-")
                .doesNotContain(card)
                .doesNotContain(" ");
    }

    @Test
    void podsOfJobsAndSelectorsOfOurOwn() {
        cluster.kubectl().apply("""
            apiVersion: batch/v1
            kind: Job
            metadata: {name: work, namespace: default}
            spec:
              completions: 6
              parallelism: 3
              backoffLimit: 0
              template:
                metadata: {annotations: {gpushare.io/select: "model = T4, memory >= 15G, uuid = %s"}}
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 1
                  containers:
                    - name: main
                      image: %s
                      imagePullPolicy: IfNotPresent
                      command: [sh, -c, "test $NVIDIA_VISIBLE_DEVICES = %s && test $GPUSHARE_MEMORY_MIB = 2000"]
                      resources: {limits: {aliyun.com/gpu-mem: 2000}}
            """.formatted(uuid(1), cluster.workloadImage(), uuid(1)));
        cluster.kubectl()
                .run(PATIENCE, "-n", "default", "wait", "job/work", "--for=condition=complete", "--timeout=1h");
        cluster.kubectl().run("-n", "default", "delete", "job", "work", "--cascade=foreground");
    }

    @Test
    void aNamespaceWithoutTheLabelTakesWholeCardsByTheClass() {
        cluster.kubectl().apply(elsewhere("whole", "aliyun.com/gpu-count: 2"));
        assertThat(runs("whole")
                        .at("/status/extendedResourceClaimStatus/resourceClaimName")
                        .asText())
                .isNotEmpty();
        assertThat(printed("whole")).startsWith("card: GPU-").contains(",GPU-");
        // Without the policy memory is nothing that a node has.
        cluster.kubectl().apply(elsewhere("memory", MEMORY + 1));
        Await.until(
                PATIENCE,
                "it waits",
                () -> Pods.unschedulable(cluster.kubectl().json("-n", OTHER, "get", "pod", "memory")),
                message -> message.contains("Insufficient aliyun.com/gpu-mem"));
        cluster.kubectl().run("-n", OTHER, "delete", "pods", "--all", "--grace-period=1");
    }

    /** The class has the name of the device plugin's resource, also on a node that the plugin serves. */
    @Test
    void theClassTakesNothingFromADevicePluginNorGivesAnythingWhileThatRestarts() {
        try {
            node.serves(false);
            shared.awaitAllocatable(2 * 16276, 2);
            whole("first");
            JsonNode first = runs("first");
            assertThat(first.at("/status/extendedResourceClaimStatus").isMissingNode())
                    .isTrue();

            cluster.kubectl().run("label", "node", cluster.node(), "gpushare.io/plugin=none");
            shared.awaitAllocatable(0, 0);
            whole("second");
            Await.until(
                    PATIENCE,
                    "it waits",
                    () -> Pods.unschedulable(cluster.kubectl().json("-n", OTHER, "get", "pod", "second")),
                    message -> message.contains("cannot allocate all claims"));
            cluster.kubectl().run("label", "node", cluster.node(), "gpushare.io/plugin-");
            JsonNode second = runs("second");
            assertThat(second.at("/status/extendedResourceClaimStatus").isMissingNode())
                    .isTrue();
            assertThat(printed("second")).isNotEqualTo(printed("first"));
            assertThat(runs("first").at("/status/containerStatuses")).isEqualTo(first.at("/status/containerStatuses"));
        } finally {
            cluster.kubectl().run("-n", OTHER, "delete", "pods", "--all", "--grace-period=1");
            node.serves(true);
        }
    }

    private static void whole(String name) {
        cluster.kubectl().apply(elsewhere(name, "aliyun.com/gpu-count: 1"));
    }

    private static String elsewhere(String name, String limits) {
        return manifest(name, Map.of(), Map.of("main", limits)).replace("namespace: default", "namespace: " + OTHER);
    }

    private static JsonNode runs(String name) {
        return Await.until(
                PATIENCE, name + " runs", () -> cluster.kubectl().json("-n", OTHER, "get", "pod", name), Pods::ready);
    }

    private static String printed(String name) {
        return cluster.kubectl().run("-n", OTHER, "logs", name);
    }

    @Test
    void whatCannotBecomeAClaimIsRefusedWithWhatToWrite() {
        refused(Map.of(), "nvidia.com/gpu: 1, nvidia.com/gpumem-percentage: 50", "write nvidia.com/gpumem in MiB");
        refused(Map.of(), "nvidia.com/gpumem: 3000", "add nvidia.com/gpu: 1");
        refused(Map.of(), MEMORY + "3Gi", "such as 3 for 3 units of memory, and not 3Gi");
        refused(Map.of(), MEMORY + "3, aliyun.com/gpu-count: 1", "write one of them in each container");
        refused(Map.of(), "nvidia.com/gpu: 33", "at most 32 cards");
        refused(Map.of(), MEMORY + "\"9223372036854775807\"", "a whole number without a suffix");
        refused(Map.of(), "nvidia.com/priority: 1", "each needs an amount of cards or memory");
        Map<String, String> many = new LinkedHashMap<>();
        IntStream.range(0, 33).forEach(i -> many.put("c%02d".formatted(i), i == 32 ? MEMORY + 1 : ""));
        assertThatThrownBy(() -> cluster.kubectl().apply(manifest("refused", Map.of(), many)))
                .hasMessageContaining("only the first 32 containers");
        refused(Map.of("gpushare.io/cards", "2"), MEMORY + 4, "write a claim with count");
        refused(Map.of("gpushare.io/selct", "a"), MEMORY + 4, "there are select and policy here");
        refused(Map.of("gpushare.io/select", "model = A100 | T4"), MEMORY + 4, "write a claim with selectors in CEL");
        refused(Map.of("gpushare.io/select", "uuid in (" + "GPU-60805828,".repeat(20) + ")"), MEMORY + 4, "too many");
        refused(Map.of("nvidia.com/vgpu-mode", "mig"), "nvidia.com/gpu: 1, nvidia.com/gpumem: 8000", "by its profile");
        assertThatThrownBy(() -> cluster.kubectl()
                        .apply(manifest("refused", Map.of(), Map.of("a", MEMORY + 3, "b", "nvidia.com/gpu: 1"))))
                .hasMessageContaining("write one of the two");
        assertThatThrownBy(() -> cluster.kubectl()
                        .apply(manifest("refused", Map.of(), Map.of("a", MEMORY + 3))
                                .replace("spec:\n", "spec:\n  nodeName: n1\n")))
                .hasMessageContaining("select the node by nodeSelector");
    }

    private static void refused(Map<String, String> annotations, String limits, String sentence) {
        assertThatThrownBy(() -> cluster.kubectl().apply(manifest("refused", annotations, Map.of("main", limits))))
                .as(limits)
                .hasMessageContaining(sentence);
    }

    /** A mistake in the annotation's own language is reported by the program that makes the templates. */
    @Test
    void aSelectorThatNobodyCanReadIsAnEventOfThePod() {
        create("mistake", Map.of("gpushare.io/select", "model is T4"), Map.of("main", MEMORY + 4));
        Await.until(
                PATIENCE,
                "the Event says what is wrong",
                () -> ClusterScenario.events(cluster, "mistake"),
                events -> events.contains("after 'model' write =, !=, in, not in, like or not like"));
    }

    @Test
    void aPolicyThatChangesWhilePodsAreCreatedLosesNone() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        List<String> answers = new ArrayList<>();
        String pod = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"generateName\": \"p-\"}, \"spec\":"
                + " {\"containers\": [{\"name\": \"main\", \"image\": \"none\", \"resources\": {\"limits\":"
                + " {\"aliyun.com/gpu-mem\": \"3\"}}}]}}";
        try (ApiServer api = ApiServer.of(cluster.kubectl())) {
            Thread creating = Thread.ofPlatform().start(() -> {
                while (!ends.get()) {
                    try {
                        ApiServer.Response response =
                                api.send("POST", "/api/v1/namespaces/default/pods?dryRun=All", pod);
                        answers.add(response.code() + " "
                                + response.body()
                                        .at("/spec/resourceClaims/0/resourceClaimTemplateName")
                                        .asText()
                                + response.body().path("message").asText());
                    } catch (IOException e) {
                        answers.add(e.toString());
                    }
                }
            });
            for (int i = 0; i < 10; i++) {
                String changed =
                        i % 2 == 0 ? VALUES.replace("hami: {enabled: true}", "hami: {enabled: false}") : VALUES;
                node.apply(changed, "", List.of("requests.yaml"));
                Thread.sleep(1000);
            }
            ends.set(true);
            creating.join();
        }
        System.out.println("e2e: " + answers.size() + " pods while the policy changed ten times");
        assertThat(answers).hasSizeGreaterThan(100).containsOnly("201 gpushare.1x-3mi");
    }

    private static Set<String> templates() {
        return cluster.kubectl()
                .json("-n", "default", "get", "resourceclaimtemplates", "-l", "gpushare.io/template=requests")
                .path("items")
                .valueStream()
                .map(each -> each.at("/metadata/name").asText())
                .collect(Collectors.toSet());
    }

    private static void create(String name, Map<String, String> annotations, Map<String, String> containers) {
        cluster.kubectl().apply(manifest(name, annotations, containers));
    }

    private static String manifest(String name, Map<String, String> annotations, Map<String, String> containers) {
        return pods.manifest(name, annotations, containers)
                .replace(
                        "echo card: $NVIDIA_VISIBLE_DEVICES;",
                        "echo card: $NVIDIA_VISIBLE_DEVICES $GPUSHARE_MEMORY_MIB;");
    }

    /** As gpushare's manifests, but for the image; the container also prints gpushare's variable. */
    private static void deploy(String name, int units) {
        String template = manifest(name, Map.of(), Map.of("main", MEMORY + units))
                .replace("$GPUSHARE_MEMORY_MIB;", "$GPUSHARE_MEMORY_MIB $ALIYUN_COM_GPU_MEM_CONTAINER;");
        cluster.kubectl()
                .apply("""
                    apiVersion: apps/v1
                    kind: Deployment
                    metadata: {name: %s, namespace: default}
                    spec:
                      replicas: 1
                      selector: {matchLabels: {app: %s}}
                      template:
                        metadata: {labels: {app: %s}}
                    """.formatted(name, name, name)
                        + template.substring(template.indexOf("spec:")).indent(4));
    }

    private static String deployed(String name) {
        return pods.deployed(name, PATIENCE);
    }

    private static String sees(String pod, String container) {
        Await.until(PATIENCE, "pod " + pod + " runs", () -> pods.pod(pod), Pods::ready);
        return pods.sees(pod, container);
    }

    private static String uuid(int index) {
        return cluster.kubectl()
                .json("get", "resourceslices")
                .at("/items/0/spec/devices")
                .valueStream()
                .map(device -> device.path("attributes"))
                .filter(attributes -> attributes.at("/index/int").asInt() == index)
                .map(attributes -> attributes.at("/uuid/string").asText())
                .findFirst()
                .orElseThrow();
    }
}
