package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * kubectl gpushare defrag with a real kubectl on the sandbox: two nodes with one card each, a pod of 5 units on each
 * card.
 */
class DefragIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path PLUGINS = Path.of(System.getProperty("gpushare.root", ".."), "deploy/kubectl")
            .toAbsolutePath()
            .normalize();
    private static final String DEFAULT = "/api/v1/namespaces/default/";

    private final Path folder = Files.createTempDirectory(Path.of("/tmp"), "gpushare-");
    private final SandboxCluster sandbox;
    private final List<Thread> controllers = new ArrayList<>();

    DefragIT() throws IOException {
        sandbox = new SandboxCluster(Path.of(System.getProperty("gpushare.root", "..")), folder, 0);
    }

    /** The output and the exit code of a command. */
    private record Ran(int code, String out, String err) {}

    @BeforeEach
    void start() throws Exception {
        List<String> card = List.of("kind=T4 memory=15GiB");
        sandbox.start(List.of(new SandboxNode("node-a", card), new SandboxNode("node-b", card)));
        await().atMost(PATIENCE).until(() -> sandbox.ready(2));
        // Each fills most of a card, so that the small pods are apart.
        for (String name : List.of("first", "second")) {
            create(PodSpec.sharing("large-" + name, 600, 9).document());
            awaitPlaced("large-" + name);
            keep("small-" + name);
            awaitPlaced("small-" + name);
        }
        assertThat(pod("small-first").node()).isNotEqualTo(pod("small-second").node());
        for (String name : List.of("large-first", "large-second")) {
            sandbox.api().delete(DEFAULT + "pods/" + name, ApiClient.document("{\"gracePeriodSeconds\":0}"));
        }
        create(PodSpec.whole("waiting", 600, 1).document());
        await().atMost(PATIENCE).until(() -> !pod("waiting").waitingReason().isEmpty());
    }

    @AfterEach
    void stop() {
        controllers.forEach(Thread::interrupt);
        sandbox.close();
    }

    @Test
    void aCardIsFreedThatTheWaitingPodThenGets() throws Exception {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                ran("defrag", "--for", "waiting").out())
                        .contains(
                                "Pod default/waiting: moving 1 pod makes it fit on node node-", "Nothing was moved."));
        assertThat(pods()).hasSize(3).noneMatch(PodDocument::beingDeleted);

        Ran applied = ran("defrag", "--for=waiting", "--apply", "--timeout=60");
        System.out.println(applied.out() + applied.err());
        assertThat(applied.code()).as(applied.err()).isZero();
        assertThat(applied.out()).contains("Evicting pod default/small-", "placed again.", "bound node-");
        List<PodDocument> after = pods();
        assertThat(after).hasSize(3);
        String whole = pod("waiting").node();
        assertThat(whole).isNotEmpty();
        assertThat(after)
                .filteredOn(pod -> pod.name().startsWith("small-"))
                .allMatch(pod -> !pod.node().isEmpty() && !pod.node().equals(whole));
        assertNothingHeld();
    }

    @Test
    void withoutAWaitingPodAWholeCardIsFree() throws Exception {
        sandbox.api().delete(DEFAULT + "pods/waiting", ApiClient.document("{\"gracePeriodSeconds\":0}"));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(ran("defrag").out()).contains("Moving 1 pod frees 1 whole card:", "ReplicaSet"));
        Ran applied = ran("defrag", "--apply");
        assertThat(applied.code()).as(applied.err()).isZero();
        assertThat(applied.out()).contains("Pods moved: 1. The cards are free.");
        assertThat(pods().stream().map(PodDocument::node).distinct()).hasSize(1);
        assertNothingHeld();
    }

    @Test
    void aBudgetThatForbidsItEndsItWithASentence() throws Exception {
        ObjectNode budget = ApiClient.document("""
            {"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"small"},
             "spec":{"selector":{"matchLabels":{"app":"small"}}},"status":{"disruptionsAllowed":0}}\
            """);
        WorkloadRun.require(sandbox.api().post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget));
        Ran refused = ran("defrag", "--for", "waiting", "--apply");
        assertThat(refused.out())
                .contains("Pod default/waiting: no moves help: the pods that would have to be moved for it fit nowhere"
                        + " else, or may not be moved.");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(pods()).hasSize(3).noneMatch(PodDocument::beingDeleted);
        assertNothingHeld();
    }

    @Test
    void aSuccessorThatIsNotPlacedEndsItAndTheCardsAreOpenAgain() throws Exception {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(ran("defrag", "--for", "waiting").out()).contains("moving 1 pod"));
        controllers.forEach(Thread::interrupt);
        Ran ended = ran("defrag", "--for", "waiting", "--apply", "--timeout", "3");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err())
                .contains("was evicted, and its successor is not placed within 3 s")
                .contains("0 of 1 pods were moved, and no cards are held any more");
        assertNothingHeld();
    }

    private void assertNothingHeld() throws IOException, InterruptedException {
        for (String node : List.of("node-a", "node-b")) {
            assertThat(sandbox.api()
                            .get("/api/v1/nodes/" + node)
                            .document()
                            .path("metadata")
                            .path("annotations")
                            .has("gpushare.io/hold"))
                    .isFalse();
        }
    }

    private Ran ran(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("kubectl", "gpushare"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("PATH", PLUGINS + ":" + System.getenv("PATH"));
        builder.environment().put("KUBECONFIG", folder.resolve("kubeconfig").toString());
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Ran(
                process.exitValue(), Files.readString(folder.resolve("out")), Files.readString(folder.resolve("err")));
    }

    /** As a ReplicaSet of one replica does: creates the pod whenever there is none. */
    private void keep(String name) throws IOException, InterruptedException {
        create(controlled(name));
        controllers.add(Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    TimeUnit.MILLISECONDS.sleep(100);
                    if (pods().stream().noneMatch(pod -> pod.name().equals(name))) {
                        create(controlled(name));
                    }
                }
            } catch (IOException | InterruptedException e) {
                // The test ends.
            }
        }));
    }

    private static ObjectNode controlled(String name) {
        ObjectNode pod = PodSpec.sharing(name, 600, 5).document();
        pod.withObject("/metadata/labels").put("app", "small");
        pod.withObject("/metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "apps/v1")
                .put("kind", "ReplicaSet")
                .put("name", "replicas-of-" + name)
                .put("uid", "uid-of-" + name)
                .put("controller", true);
        return pod;
    }

    private void create(ObjectNode pod) throws IOException, InterruptedException {
        WorkloadRun.require(sandbox.api().post(WorkloadRun.PODS, pod));
    }

    private void awaitPlaced(String name) {
        await().atMost(PATIENCE).until(() -> !pod(name).node().isEmpty());
    }

    private PodDocument pod(String name) throws IOException, InterruptedException {
        return pods().stream()
                .filter(pod -> pod.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IOException("no pod " + name));
    }

    private List<PodDocument> pods() throws IOException, InterruptedException {
        return ClusterSnapshot.take(sandbox.api()).pods().stream()
                .map(ClusterSnapshot.Placed::pod)
                .toList();
    }
}
