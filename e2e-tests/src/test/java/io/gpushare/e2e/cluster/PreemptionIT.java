package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Preemption where kube-scheduler's own does not help, with the permission in deploy/preemption: who is evicted, and
 * how soon.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
class PreemptionIT {
    private static final String MEMORY = "aliyun.com/gpu-mem: ";
    private static final String CARDS = "aliyun.com/gpu-count: ";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    // The extender waits for 3 s, and then several times for kube-scheduler.
    private static final Duration QUIET = Duration.ofSeconds(15);

    private static SharedCluster shared;
    private static Cluster cluster;
    private static Pods pods;

    @BeforeAll
    static void install(SharedCluster given) {
        shared = given;
        cluster = shared.cluster();
        pods = shared.pods();
        shared.withPrograms();
        assertThat(permissions("without deploy/preemption")).doesNotContain("pods/eviction", "poddisruptionbudgets");
        cluster.kubectl().run("apply", "-f", manifest());
        assertThat(permissions("with deploy/preemption")).contains("pods/eviction", "poddisruptionbudgets");
        restartExtender();
        for (String priority : List.of("low: 10", "high: 1000")) {
            String[] parts = priority.split(": ");
            cluster.kubectl().apply("""
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: {name: %s}
                value: %s
                """.formatted(parts[0], parts[1]));
        }
    }

    private static String manifest() {
        return SharedCluster.ROOT.resolve("deploy/preemption").toString();
    }

    private static String permissions(String when) {
        String permissions = cluster.kubectl()
                .run("auth", "can-i", "--list", "--as=system:serviceaccount:kube-system:gpu-share-scheduler-extender");
        System.out.println("e2e: permissions of the extender " + when + ":\n" + permissions);
        return permissions;
    }

    /** It asks for its permission when it starts. */
    private static void restartExtender() {
        cluster.kubectl().run("-n", Installation.NAMESPACE, "rollout", "restart", Installation.EXTENDER);
        shared.installation().ready(Installation.EXTENDER);
    }

    @AfterAll
    static void stop() {
        cluster.kubectl().run("delete", "--ignore-not-found", "-f", manifest());
        cluster.kubectl().run("delete", "--ignore-not-found", "priorityclass", "low", "high");
        restartExtender();
    }

    @AfterEach
    void clean() {
        cluster.kubectl().run("-n", "default", "delete", "poddisruptionbudgets", "--all");
        pods.deleteEverything();
    }

    @Test
    void freeMemoryInPiecesIsJoinedByOneEviction() {
        run("low-a", "low", MEMORY + 8);
        run("low-b", "low", MEMORY + 8);
        preempts("(a) 8 + 8 of low priority, 10 of high", MEMORY + 10, 1);
    }

    @Test
    void aWholeCardPodEvictsMemoryPods() {
        run("low-a", "low", MEMORY + 8);
        run("low-b", "low", MEMORY + 8);
        preempts("(b) memory pods on both cards, a whole card of high priority", CARDS + 1, 1);
    }

    @Test
    void aMemoryPodEvictsAWholeCardPod() {
        run("low-a", "low", CARDS + 1);
        run("low-b", "low", CARDS + 1);
        preempts("(b) whole-card pods on both cards, memory of high priority", MEMORY + 3, 1);
    }

    @Test
    void onePodIsEvictedInPlaceOfTwo() {
        run("low-a", "low", MEMORY + 15);
        run("low-b", "low", MEMORY + 8);
        run("low-c", "low", MEMORY + 7);
        // Before 1.20.11 kube-scheduler does not call extenders for preemption, and evicts by its sums.
        String version = cluster.kubectl()
                .json("version")
                .at("/serverVersion/gitVersion")
                .asText();
        boolean asks = !version.matches("v1\\.20\\.([0-9]|10)(\\D.*)?");
        preempts("(c) 15 and 8 + 7 of low priority, 15 of high", MEMORY + 15, asks ? 1 : 2);
    }

    @Test
    void aBudgetThatForbidsTheEvictionIsHeeded() throws Exception {
        run("low-a", "low", MEMORY + 8);
        run("low-b", "low", MEMORY + 8);
        String version = cluster.kubectl().run("api-versions").contains("policy/v1\n") ? "v1" : "v1beta1";
        cluster.kubectl().run("-n", "default", "label", "pods", "--all", "guarded=yes");
        cluster.kubectl().apply("""
            apiVersion: policy/%s
            kind: PodDisruptionBudget
            metadata: {name: guard, namespace: default}
            spec: {maxUnavailable: 0, selector: {matchLabels: {guarded: "yes"}}}
            """.formatted(version));
        create("high", "high", MEMORY + 10);
        Await.until(
                PATIENCE,
                "the Event of the waiting pod names the budgets",
                () -> cluster.kubectl()
                        .run("-n", "default", "get", "events", "--field-selector", "involvedObject.name=high"),
                text -> text.contains("PreemptionForbidden"));
        Thread.sleep(QUIET.toMillis());
        assertThat(names()).containsExactlyInAnyOrder("low-a", "low-b", "high");
        cluster.kubectl().run("-n", "default", "delete", "poddisruptionbudget", "guard");
        pods.running("high");
        assertThat(names()).hasSize(2);
    }

    @Test
    void twoPodsDoNotEvictForTheSameCard() throws Exception {
        run("low-a", "low", MEMORY + 8);
        run("same-b", "high", MEMORY + 8);
        create("high-1", "high", MEMORY + 10);
        create("high-2", "high", MEMORY + 10);
        Await.until(PATIENCE, "one of them runs", pods::all, all -> running(all, "high-1") != running(all, "high-2"));
        Thread.sleep(QUIET.toMillis());
        assertThat(names()).containsExactlyInAnyOrder("same-b", "high-1", "high-2");
    }

    @Test
    void aRecreatedVictimDoesNotTakeTheCardBack() {
        cluster.kubectl().apply(deployment("low-a", 8));
        cluster.kubectl().apply(deployment("low-b", 8));
        pods.deployed("low-a", PATIENCE);
        pods.deployed("low-b", PATIENCE);
        create("high", "high", CARDS + 1);
        pods.running("high");
        JsonNode all = pods.all();
        assertThat(all.valueStream().filter(Pods::ready)).hasSize(2);
        assertThat(all).hasSize(3);
    }

    private static String deployment(String name, int units) {
        String template = pods.manifest(name, Map.of("main", MEMORY + units))
                .replace("spec:\n", "spec:\n  priorityClassName: low\n");
        return """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: %s, namespace: default}
            spec:
              selector: {matchLabels: {app: %s}}
              template:
                metadata: {labels: {app: %s}}
            """.formatted(name, name, name)
                + template.substring(template.indexOf("spec:")).indent(4);
    }

    /** The pod of high priority runs, and so many others were evicted. */
    private static void preempts(String what, String limit, int evicted) {
        List<String> before = names();
        long began = System.nanoTime();
        create("high", "high", limit);
        pods.running("high");
        long millis = Duration.ofNanos(System.nanoTime() - began).toMillis();
        List<String> victims =
                before.stream().filter(name -> !names().contains(name)).toList();
        System.out.println("e2e: " + what + ": evicted " + victims + ", running after " + millis + " ms");
        assertThat(victims).as(what).hasSize(evicted);
    }

    private static boolean running(JsonNode all, String name) {
        return all.valueStream()
                .anyMatch(pod -> pod.at("/metadata/name").asText().equals(name) && Pods.ready(pod));
    }

    private static List<String> names() {
        return pods.all()
                .valueStream()
                .filter(pod -> !pod.path("metadata").has("deletionTimestamp"))
                .map(pod -> pod.at("/metadata/name").asText())
                .toList();
    }

    private static void run(String name, String priority, String limit) {
        create(name, priority, limit);
        pods.running(name);
    }

    private static void create(String name, String priority, String limit) {
        cluster.kubectl()
                .apply(pods.manifest(name, Map.of("main", limit))
                        .replace("spec:\n", "spec:\n  priorityClassName: " + priority + "\n"));
    }
}
