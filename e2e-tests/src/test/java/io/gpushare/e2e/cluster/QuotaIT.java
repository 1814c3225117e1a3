package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Two teams with the ResourceQuotas of deploy/docs/use/requests.md: what the team over its quota is told, and what
 * kubectl shows. The pods of team-a have the sample's quotas.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
@Tag("release")
class QuotaIT {
    private static final String MEMORY = "aliyun.com/gpu-mem";
    private static final Duration SOON = Duration.ofSeconds(60);
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
        kubectl.run(Duration.ofMinutes(4), "delete", "--ignore-not-found", "-f", path(SAMPLE));
        kubectl.run(Duration.ofMinutes(4), "delete", "--ignore-not-found", "namespace", "team-b");
    }

    private static String path(String file) {
        return SharedCluster.ROOT.resolve(file).toString();
    }

    @Test
    void theTeamOverItsQuotaIsToldAndKubectlShowsEachQuotaBesideItsUse() {
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
        Await.until(
                SOON,
                "kubectl shows the lower quota",
                () -> described("team-b"),
                lines -> lines.contains("requests.aliyun.com/gpu-mem 10 4"));
        assertThat(described("team-a").lines())
                .contains(
                        "requests.aliyun.com/gpu-mem 23 24",
                        "requests.aliyun.com/gpu-count 0 1",
                        "requests.aliyun.com/gpu-mem 8 8");
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

    private static String described(String namespace) {
        return kubectl.run("-n", namespace, "describe", "resourcequota").replaceAll(" +", " ");
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
