package io.gpushare.e2e.sandbox;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.patience.Patience;
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
        sandbox = new SandboxCluster(Path.of(System.getProperty("gpushare.root", "..")), folder);
    }

    /** The output and the exit code of a command. */
    private record Ran(int code, String out, String err) {}

    @BeforeEach
    void start() throws Exception {
        List<String> card = List.of("kind=T4 memory=15GiB");
        sandbox.start(List.of(new SandboxNode("node-a", card), new SandboxNode("node-b", card)));
        await(PATIENCE).until(() -> sandbox.ready(2));
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
        await(PATIENCE).until(() -> !pod("waiting").waitingReason().isEmpty());
    }

    @AfterEach
    void stop() {
        controllers.forEach(Thread::interrupt);
        sandbox.close();
    }

    @Test
    void theCommandsFreeACardThatTheWaitingPodThenGets() throws Exception {
        carryOut(planned("Pod default/waiting: moving 1 pod makes it fit on node node-", "defrag", "--for", "waiting"));
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
    void withoutAWaitingPodTheCommandsFreeAWholeCard() throws Exception {
        sandbox.api().delete(DEFAULT + "pods/waiting", ApiClient.document("{\"gracePeriodSeconds\":0}"));
        carryOut(planned("Moving 1 pod frees 1 whole card:", "defrag"));
        assertThat(pods().stream().map(PodDocument::node).distinct()).hasSize(1);
        assertNothingHeld();
    }

    @Test
    void aBudgetThatForbidsItIsNamedAndNoCommandIsPrinted() throws Exception {
        ObjectNode budget = ApiClient.document("""
            {"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"small"},
             "spec":{"selector":{"matchLabels":{"app":"small"}}},"status":{"disruptionsAllowed":0}}\
            """);
        WorkloadRun.require(sandbox.api().post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget));
        assertThat(ran("defrag", "--for", "waiting").out())
                .contains("Pod default/waiting: no moves help: the pods that would have to be moved for it fit nowhere"
                        + " else, or may not be moved.")
                .doesNotContain("kubectl annotate");
    }

    /** The text of a plan, when there is one that begins like that. */
    private String planned(String beginning, String... arguments) {
        String[] text = {""};
        await(PATIENCE).untilAsserted(() -> {
            text[0] = ran(arguments).out();
            assertThat(text[0]).contains(beginning, "Nothing was moved.");
        });
        return text[0];
    }

    /** Runs the commands of a plan as its reader does, and waits where it says so. */
    private void carryOut(String plan) throws Exception {
        for (String line :
                plan.lines().dropWhile(each -> !each.startsWith("kubectl")).toList()) {
            if (line.startsWith("# wait until pod default/waiting")) {
                awaitPlaced("waiting");
            } else if (line.startsWith("#")) {
                await(PATIENCE)
                        .until(() -> pods().stream()
                                        .filter(pod -> pod.name().startsWith("small-"))
                                        .filter(pod -> !pod.beingDeleted()
                                                && !pod.node().isEmpty())
                                        .count()
                                == 2);
            } else {
                Ran done = run("sh", "-c", line);
                assertThat(done.code()).as(line + ": " + done.err()).isZero();
            }
        }
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
        return run(command.toArray(String[]::new));
    }

    private Ran run(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("PATH", PLUGINS + ":" + System.getenv("PATH"));
        builder.environment().put("KUBECONFIG", folder.resolve("kubeconfig").toString());
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        return new Ran(
                Patience.exitCode(process),
                Files.readString(folder.resolve("out")),
                Files.readString(folder.resolve("err")));
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
        await(PATIENCE).until(() -> !pod(name).node().isEmpty());
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
