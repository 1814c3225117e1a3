package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two teams with the ResourceQuotas of deploy/QUOTAS.md: what the team over its quota is told, and what page and
 * command line show. The pods of team-a have the sample's quotas.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
class QuotaIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MEMORY = "aliyun.com/gpu-mem";
    private static final Duration SOON = Duration.ofSeconds(60);
    // An extender without the permission checks it once a minute.
    private static final Duration PERMISSION = Duration.ofMinutes(2);
    private static final String WASTE = "/api/v1/namespaces/kube-system/services/gpushare-schd-extender:http/proxy"
            + "/gpushare-scheduler/v1/waste";
    private static final String SAMPLE = "deploy/samples/team-quotas.yaml";
    private static final String TEAM_B = """
        apiVersion: v1
        kind: Namespace
        metadata: {name: team-b}
        ---
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: gpu, namespace: team-b}
        spec: {hard: {requests.aliyun.com/gpu-mem: %d}}
        """;

    @TempDir
    private static Path folder;

    private static Kubectl kubectl;
    private static Pods pods;

    @BeforeAll
    static void install(SharedCluster shared) {
        kubectl = shared.cluster().kubectl();
        pods = shared.pods();
        shared.withPrograms();
        kubectl.run("apply", "-f", path(SAMPLE));
        kubectl.apply(TEAM_B.formatted(10));
        Await.until(
                SOON,
                "both teams' quotas are counted",
                () -> used("team-b", "gpu") + used("team-a", "gpu"),
                "00"::equals);
    }

    @AfterAll
    static void remove() {
        kubectl.run("delete", "--ignore-not-found", "-f", path("deploy/quotas"));
        kubectl.run(Duration.ofMinutes(4), "delete", "--ignore-not-found", "-f", path(SAMPLE));
        kubectl.run(Duration.ofMinutes(4), "delete", "--ignore-not-found", "namespace", "team-b");
    }

    private static String path(String file) {
        return SharedCluster.ROOT.resolve(file).toString();
    }

    @Test
    void theTeamOverItsQuotaIsToldAndEachQuotaIsShownBesideItsUse() throws Exception {
        create("team-a", "large", "", 15);
        create("team-b", "all", "", 10);
        running("team-a", "large");
        running("team-b", "all");

        assertThat(refused("team-b", "more", "", 1))
                .contains("exceeded quota: gpu", "requested: requests.aliyun.com/gpu-mem=1")
                .contains("used: requests.aliyun.com/gpu-mem=10", "limited: requests.aliyun.com/gpu-mem=10");
        aReplicaSetIsToldInAnEvent();

        // 9 of 24 are left, and 8 for the priority class.
        assertThat(refused("team-a", "batch", "gpu-batch", 9)).contains("exceeded quota: gpu-batch");
        create("team-a", "waits", "gpu-batch", 8);
        Await.until(SOON, "a pod that waits counts", () -> used("team-a", "gpu"), "23"::equals);
        assertThat(kubectl.json("-n", "team-a", "get", "pod", "waits")
                        .at("/spec/nodeName")
                        .isMissingNode())
                .as("5 units are free")
                .isTrue();

        kubectl.apply(TEAM_B.formatted(4));
        kubectl.run("apply", "-f", path("deploy/quotas"));
        pageAndCommandLineShowThem();
        assertThat(Pods.ready(kubectl.json("-n", "team-b", "get", "pod", "all")))
                .as("a lower quota evicts nothing")
                .isTrue();
    }

    private static void aReplicaSetIsToldInAnEvent() {
        kubectl.apply(deployment(manifest("team-b", "template", "", 1)));
        Await.until(
                SOON,
                "the ReplicaSet has an Event",
                () -> kubectl.run(
                        "-n", "team-b", "get", "events", "--field-selector", "reason=FailedCreate", "-o", "yaml"),
                events -> events.contains("exceeded quota: gpu") && events.contains("kind: ReplicaSet"));
        Await.until(
                SOON,
                "the Deployment has a condition",
                () -> kubectl.json("-n", "team-b", "get", "deployment", "web")
                        .at("/status/conditions")
                        .toString(),
                conditions -> conditions.contains("ReplicaFailure") && conditions.contains("exceeded quota: gpu"));
    }

    private static String deployment(String pod) {
        return """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: team-b}
            spec:
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
            """ + pod.substring(pod.indexOf("spec:")).indent(4);
    }

    private static void pageAndCommandLineShowThem() throws IOException {
        String shown = Await.until(
                PERMISSION,
                "the extender shows the quotas of both teams",
                () -> {
                    StringBuilder text = new StringBuilder();
                    for (JsonNode quota : report().path("quotas")) {
                        text.append("%s %s %s of %s %s %s%n"
                                .formatted(
                                        quota.path("namespace").asText(),
                                        quota.path("name").asText(),
                                        quota.path("used").asText(),
                                        quota.path("hard").asText(),
                                        quota.path("of").asText(),
                                        quota.path("scope").asText()));
                    }
                    return text.toString();
                },
                text -> text.contains("team-b gpu 10 of 4 units") && text.contains("team-a gpu 23 of 24 units"));
        System.out.println("e2e: quotas on the page:\n" + shown);
        assertThat(shown)
                .contains("team-a gpu-batch 8 of 8 units PriorityClass In gpu-batch", "team-a gpu 0 of 1 cards");

        Path config = folder.resolve("kubeconfig");
        Files.writeString(config, kubectl.run("config", "view", "--raw", "--minify"));
        String printed = Command.output(
                SOON, List.of("env", "KUBECONFIG=" + config, path("deploy/kubectl/kubectl-gpushare"), "waste"));
        System.out.println("e2e: kubectl gpushare waste:\n" + printed);
        assertThat(printed.lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "team-a gpu aliyun.com/gpu-mem 23 24",
                        "team-a gpu aliyun.com/gpu-count 0 1",
                        "team-a gpu-batch aliyun.com/gpu-mem 8 8 PriorityClass In gpu-batch",
                        "team-b gpu aliyun.com/gpu-mem 10 4");
    }

    private static JsonNode report() {
        try {
            return JSON.readTree(kubectl.run("get", "--raw", WASTE));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static String used(String namespace, String quota) {
        return kubectl.json("-n", namespace, "get", "resourcequota", quota)
                .at("/status/used")
                .path("requests." + MEMORY)
                .asText();
    }

    private static void create(String namespace, String name, String priorityClass, int units) {
        kubectl.apply(manifest(namespace, name, priorityClass, units));
    }

    /** What kubectl prints when the API server refuses the pod. */
    private static String refused(String namespace, String name, String priorityClass, int units) {
        String printed = String.valueOf(
                catchThrowableOfType(Command.Failed.class, () -> create(namespace, name, priorityClass, units))
                        .getMessage());
        System.out.println("e2e: " + printed);
        return printed;
    }

    private static void running(String namespace, String name) {
        Await.until(
                SOON,
                "pod " + namespace + "/" + name + " runs",
                () -> kubectl.json("-n", namespace, "get", "pod", name),
                Pods::ready);
    }

    private static String manifest(String namespace, String name, String priorityClass, int units) {
        String pod = pods.manifest(name, Map.of("main", MEMORY + ": " + units))
                .replace("namespace: default", "namespace: " + namespace);
        return priorityClass.isEmpty()
                ? pod
                : pod.replace("spec:\n", "spec:\n  priorityClassName: " + priorityClass + "\n");
    }
}
