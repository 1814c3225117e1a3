package io.gpushare.e2e.cluster.installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Command;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Kubectl;
import io.gpushare.e2e.cluster.LocalCluster;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The chart's life in a cluster: install, upgrade with changed values under running GPU pods, uninstall. */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
class HelmIT {
    private static final Path CHART = SharedCluster.ROOT.resolve("deploy/chart");
    private static final String RELEASE = "gpushare";
    private static final int SECONDS = 240;
    private static final int STREAM = 12;
    private static final Duration TOOL = Duration.ofSeconds(30);

    @TempDir
    private static Path folder;

    private static SharedCluster shared;
    private static Cluster cluster;
    private static Kubectl kubectl;
    private static Path kubeconfig;

    @BeforeAll
    static void start(SharedCluster sharedCluster) throws IOException {
        shared = sharedCluster;
        cluster = shared.cluster();
        assumeThat(cluster)
                .as("a kube-scheduler that can read the node's files")
                .isInstanceOf(LocalCluster.class);
        kubectl = cluster.kubectl();
        shared.withPrograms();
        kubectl.run(
                Duration.ofMinutes(3),
                "delete",
                "--ignore-not-found",
                "-f",
                SharedCluster.ROOT.resolve("deploy/manifests").toString());
        shared.reinstallNext();
        kubeconfig =
                Files.writeString(folder.resolve("kubeconfig"), kubectl.run("config", "view", "--raw", "--minify"));
    }

    @AfterAll
    static void remove() {
        if (kubeconfig != null) {
            shared.pods().deleteEverything();
            Helm.uninstall(RELEASE)
                    .withNamespace(Installation.NAMESPACE)
                    .withKubeConfig(kubeconfig)
                    .ignoreNotFound()
                    .call();
            // The next class creates the namespace again, which fails while the API server still empties this one.
            Await.until(
                    Duration.ofMinutes(3),
                    "namespace " + Installation.LEASES + " is gone",
                    () -> kubectl.run("get", "namespace", Installation.LEASES, "--ignore-not-found", "-o", "name"),
                    String::isEmpty);
        }
    }

    @Test
    void anInstallAnUpgradeUnderRunningPodsAndAnUninstallDisturbNoPod() throws Exception {
        new Helm(CHART)
                .install()
                .withName(RELEASE)
                .withNamespace(Installation.NAMESPACE)
                .withKubeConfig(kubeconfig)
                .withValuesFile(values("viewers: {groups: [gpu-viewers]}\n"))
                .waitReady()
                .withTimeout(SECONDS)
                .call();
        rolledOut();
        cluster.configureScheduler(shared.installation().scheduler(List.of()));
        shared.awaitAllocatable(30, 2);
        assertThat(bindWithoutCertificate()).isEqualTo("401");
        assertTheToolsWork();
        shared.pods().createMemory("before", 2);
        JsonNode before = shared.pods().running("before");
        JsonNode certificates = secret("gpushare-schd-extender-tls");

        Thread upgrade = Thread.ofVirtual()
                .start(() -> new Helm(CHART)
                        .upgrade()
                        .withName(RELEASE)
                        .withNamespace(Installation.NAMESPACE)
                        .withKubeConfig(kubeconfig)
                        .withValuesFile(values("""
                            extender: {policy: spread, podLabels: {upgraded: 'true'}}
                            podDisruptionBudget: {minAvailable: 1}
                            """))
                        .waitReady()
                        .withTimeout(SECONDS)
                        .call());
        double longest = stream();
        upgrade.join();
        rolledOut();
        System.out.printf("helm upgrade: the longest time from a pod to its start was %.1f s%n", longest);
        assertThat(kubectl.run("-n", Installation.NAMESPACE, "get", "pods", "-l", "upgraded=true", "-o", "name")
                        .lines())
                .hasSize(2);
        assertThat(secret("gpushare-schd-extender-tls")).isEqualTo(certificates);
        assertUndisturbed(before);
        assertNoCardTwice();

        Helm.uninstall(RELEASE)
                .withNamespace(Installation.NAMESPACE)
                .withKubeConfig(kubeconfig)
                .call();
        assertThat(kubectl.run(
                        "get", "all,roles,secrets,poddisruptionbudgets", "-A", "-l", "app=gpushare", "-o", "name"))
                .doesNotContain("deployment", "daemonset", "service/", "role", "secret");
        assertUndisturbed(before);
    }

    /** As the administrator, as a viewer, and as somebody without a permission. */
    private static void assertTheToolsWork() {
        assertThat(gpushare()).startsWith("NODE ").contains(cluster.node());
        assertThat(gpushare("top", "--as=ann", "--as-group=gpu-viewers")).startsWith("NODE ");
        assertThat(gpushare("--as=stranger"))
                .contains("you need the permissions of the role gpushare-viewer", "cannot create resource");
        String proxy = "/api/v1/namespaces/" + Installation.NAMESPACE
                + "/services/https:gpushare-schd-extender:view/proxy/gpushare-scheduler/v1/";
        // A token of an account that may not view, for the same audience: every pod can get one of its own account.
        String tokens = "/api/v1/namespaces/default/serviceaccounts/default/token";
        String request = "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"metadata\":{},"
                + "\"spec\":{\"audiences\":[\"gpushare-view\"],\"expirationSeconds\":600}}";
        String token = Command.output(TOOL, request, kubectlLine("create", "--raw", tokens, "-f", "-"));
        assertThat(Command.output(TOOL, token, kubectlLine("create", "--raw", proxy + "text/nodes", "-f", "-")))
                .startsWith("error: system:serviceaccount:default:default lacks the permission 'get'");
        assertThat(Command.output(TOOL, request, kubectlLine("create", "--raw", proxy + "text/nodes", "-f", "-")))
                .startsWith("error: this port needs a token");
    }

    /** What kubectl gpushare prints, errors included. */
    private static String gpushare(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                "\"$0\" \"$@\" 2>&1 || true",
                SharedCluster.ROOT.resolve("deploy/kubectl/kubectl-gpushare").toString(),
                "--kubeconfig=" + kubeconfig));
        command.addAll(List.of(arguments));
        String printed = Command.output(TOOL, command);
        System.out.println("$ kubectl gpushare " + String.join(" ", arguments) + "\n" + printed);
        return printed;
    }

    private static List<String> kubectlLine(String... arguments) {
        List<String> command = new ArrayList<>(List.of("kubectl", "--kubeconfig=" + kubeconfig));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Creates pods during an upgrade; returns the longest time, in seconds, until one ran. */
    private static double stream() {
        double longest = 0;
        for (int i = 0; i < STREAM; i++) {
            String name = "stream-" + i;
            long began = System.nanoTime();
            shared.pods().createMemory(name, 1);
            shared.pods().running(name);
            longest = Math.max(longest, (System.nanoTime() - began) / 1e9);
        }
        return longest;
    }

    private static void rolledOut() {
        for (String program : List.of(Installation.PLUGIN, Installation.EXTENDER)) {
            kubectl.run(Duration.ofMinutes(2), "-n", Installation.NAMESPACE, "rollout", "status", program);
            shared.installation().ready(program);
        }
    }

    private static void assertUndisturbed(JsonNode before) {
        JsonNode now = shared.pods().pod("before");
        assertThat(now.at("/metadata/uid")).isEqualTo(before.at("/metadata/uid"));
        assertThat(now.at("/status/containerStatuses/0/restartCount").intValue())
                .isZero();
        assertThat(Pods.ready(now)).isTrue();
    }

    private static void assertNoCardTwice() {
        Map<String, Integer> units = new HashMap<>();
        Set<String> pods = new HashSet<>();
        for (JsonNode pod : shared.pods().all()) {
            pods.add(pod.at("/metadata/name").asText());
            units.merge(
                    ClusterScenario.cardOf(pod, "main"),
                    pod.at("/spec/containers/0/resources/limits/aliyun.com~1gpu-mem")
                            .asInt(),
                    Integer::sum);
        }
        assertThat(pods).hasSize(STREAM + 1);
        assertThat(units.values()).allMatch(sum -> sum <= 15);
    }

    private static JsonNode secret(String name) {
        return kubectl.json("-n", Installation.NAMESPACE, "get", "secret", name).path("data");
    }

    private static String address() {
        JsonNode service = kubectl.json("-n", Installation.NAMESPACE, "get", "service", "gpushare-schd-extender");
        assertThat(service.at("/spec/type").asText()).isEqualTo("ClusterIP");
        return "https://" + service.at("/spec/clusterIP").asText() + ":12345";
    }

    /** The status of a bind request; kube-proxy refuses connections until it knows the leader. */
    private static String bindWithoutCertificate() {
        return cluster.onNode(
                "curl",
                "-skm5",
                "--retry",
                "15",
                "--retry-delay",
                "1",
                "--retry-connrefused",
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}",
                "--data",
                "{}",
                address() + "/gpushare-scheduler/bind");
    }

    /** The values for the simulated driver, and more. */
    private static Path values(String more) {
        try {
            return Files.writeString(
                    Files.createTempFile(folder, "values", ".yaml"), """
                        devicePlugin:
                          extraArgs: [--nvml-library=/simulated/libnvidia-ml.so.1]
                          extraEnv: [{name: GPUSHARE_SIMULATED_CARDS, value: /simulated/cards-$(NODE_NAME)}]
                          extraVolumes: [{name: simulated, hostPath: {path: %s, type: Directory}}]
                          extraVolumeMounts: [{name: simulated, mountPath: /simulated, readOnly: true}]
                        """.formatted(cluster.sharedFolder()) + more);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
