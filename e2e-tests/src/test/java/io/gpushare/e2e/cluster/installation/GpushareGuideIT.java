package io.gpushare.e2e.cluster.installation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Kubectl;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node in use goes from gpushare to this project and back by the commands of
 * deploy/docs/operate/migrate-from-gpushare.md, as they are on the page, and then this project is removed by those of
 * deploy/docs/install/removal.md. {@code -Dgpushare.minutes=20} sets how long gpushare then serves the node, instead of
 * one minute.
 */
@Tag("wayback")
class GpushareGuideIT {
    private static final Path ROOT = SharedCluster.ROOT;
    private static final GuidePage GUIDE = new GuidePage(ROOT.resolve("deploy/docs/operate/migrate-from-gpushare.md"));
    private static final GuidePage REMOVAL = new GuidePage(ROOT.resolve("deploy/docs/install/removal.md"));
    private static final Duration STATUS = Duration.ofSeconds(90);
    private static final Duration BLOCK = Duration.ofMinutes(9);
    private static final Duration AFTERWARDS = Duration.ofMinutes(Integer.getInteger("gpushare.minutes", 1));
    private static final String OURS = "gpu-share-device-plugin";

    @TempDir
    private static Path folder;

    private static Cluster cluster;
    private static ApiServer api;
    private static Kubectl kubectl;
    private static Pods pods;
    private static Installation installation;
    private static GpushareDouble gpushare;

    @BeforeAll
    static void startCluster() {
        cluster = Cluster.start(ROOT);
        kubectl = cluster.kubectl();
        api = ApiServer.of(kubectl);
        pods = new Pods(cluster);
        installation = new Installation(cluster, ROOT);
        installation.loadImages();
        kubectl.run("label", "node", cluster.node(), "gpushare=true");
        gpushare = new GpushareDouble(cluster, api);
    }

    @AfterAll
    static void stopCluster() {
        gpushare.close();
        api.close();
        cluster.close();
    }

    @Test
    void theCommandsOfTheGuideLeadThereAndBackAndGpushareServesForGood() throws IOException {
        gpushare.installPlugin(false);
        gpushare.installExtender();
        Await.until(STATUS, "gpushare's plugin serves", gpushare::serving, uid -> !uid.isEmpty());
        shows("0/15 0/15");
        gpushare.place(pods, "old-10", 10, 0);
        gpushare.place(pods, "old-8", 8, 1);
        assertThat(card("old-10") + card("old-8")).isEqualTo("01");
        Map<String, String> before = containers();
        String plugin = gpushare.serving();

        follow(GUIDE, "Before");
        installation.useDriver(Map.of(cluster.node(), List.of(SharedCluster.twoT4())));
        assertThat(gpushare.serving()).isEqualTo(plugin);
        assertThat(programs(OURS)).isEmpty();

        follow(GUIDE, "1. The device plugins, one node after the other");
        assertThat(gpushare.serving()).isEmpty();
        Await.until(
                STATUS,
                "both pods are adopted",
                pods::all,
                all -> all.valueStream()
                        .allMatch(pod -> pod.at("/metadata/annotations").has("gpushare.io/allocation")));

        follow(GUIDE, "2. The extender");
        installation.ready(Installation.EXTENDER);
        cluster.configureScheduler(ROOT.resolve("deploy/scheduler"));
        pods.createMemory("new-3", 3);
        pods.running("new-3");
        assertThat(card("new-3")).startsWith("GPU-");
        pods.createMemory("too-large", 9);
        pods.refused("too-large", "Insufficient");
        pods.delete("too-large");
        assertThat(containers()).containsAllEntriesOf(before);
        Map<String, String> running = containers();

        follow(GUIDE, "4. Remove gpushare");
        assertThat(programs("gpushare-device-plugin")).isEmpty();
        back();
        String cards = gpushare.cards("capacity");
        assertThat(cards).isIn("13/15 8/15", "10/15 11/15");
        shows(cards);
        runsThere("back", cards);
        Instant end = Instant.now().plus(AFTERWARDS);
        while (Instant.now().isBefore(end)) {
            assertThat(shown()).isEqualTo(both(cards));
            Await.pause();
        }
        System.out.println("e2e: after " + AFTERWARDS.toMinutes() + " minutes gpushare shows " + shown());
        runsThere("later", cards);
        assertThat(containers()).isEqualTo(running);
        remove();
    }

    /** The way back, with gpushare installed again as the guide says. */
    private static void back() throws IOException {
        gpushare.installPlugin(true);
        List<String> steps = GUIDE.commands("Roll back");
        assertThat(steps).hasSize(4);
        run(steps.getFirst());
        cluster.configureScheduler(withoutExtender());
        gpushare.installExtender();
        run(steps.get(1));
        Await.until(STATUS, "gpushare's plugin serves", gpushare::serving, uid -> !uid.isEmpty());
        run(steps.get(2));
        assertThat(programs(OURS)).isEmpty();
        run(steps.get(3));
        gpushare.installExtender();
        Await.until(
                STATUS,
                "the Service leads to gpushare's extender",
                () -> kubectl.json("-n", Installation.NAMESPACE, "get", "endpoints", "gpushare-schd-extender"),
                endpoints -> endpoints.at("/subsets/0/addresses").size() == 1);
    }

    /** What is left of this project: the page removes the label gpushare=true too, so gpushare's plugin ends. */
    private static void remove() throws IOException {
        installation.applyManifests();
        String others = REMOVAL.commands("3. The programs").get(1);
        // A cluster without policies for admission has none of them.
        boolean policies = kubectl.run("api-resources").contains("validatingadmissionpolicies");
        run(policies ? others : others.replace("-f deploy/admission ", ""));
        run(REMOVAL.commands("4. What stays behind").getFirst());
        JsonNode node = kubectl.json("get", "node", cluster.node());
        assertThat(node.at("/metadata/annotations").toString()).doesNotContain("gpushare.io");
        assertThat(node.at("/metadata/labels").has("gpushare")).isFalse();
        Await.until(
                STATUS,
                "nothing of this project is left",
                () -> kubectl.run("get", "all,roles,clusterroles,secrets", "-A", "-l", "app=gpushare", "-o", "name"),
                names -> !names.contains("gpu-share") && !names.contains("role") && !names.contains("secret"));
        assertThat(kubectl.run("get", "namespaces", "-o", "name")).doesNotContain(Installation.LEASES);
    }

    private static void follow(GuidePage page, String heading) throws IOException {
        for (String block : page.commands(heading)) {
            run(block);
        }
    }

    private static void run(String block) {
        kubectl.script(BLOCK, ROOT, block.replace("<node>", cluster.node()));
    }

    /** A pod that gpushare's extender binds now runs on the second card. */
    private static void runsThere(String name, String cards) {
        gpushare.place(pods, name, 2, 1);
        assertThat(card(name)).isEqualTo("1");
        pods.delete(name);
        shows(cards);
    }

    private static void shows(String cards) {
        Await.until(STATUS, "gpushare shows " + cards, GpushareGuideIT::shown, Predicate.isEqual(both(cards)));
    }

    private static String shown() {
        return gpushare.cards("capacity") + ", " + gpushare.cards("allocatable");
    }

    private static String both(String cards) {
        return cards + ", " + cards;
    }

    private static String card(String pod) {
        pods.running(pod);
        return pods.sees(pod, "main");
    }

    /** The IDs of all containers of pods, by the pod's name. */
    private static Map<String, String> containers() {
        Map<String, String> containers = new TreeMap<>();
        pods.all()
                .forEach(pod -> containers.put(
                        pod.at("/metadata/name").asText(),
                        pod.at("/status/containerStatuses/0/containerID").asText()));
        return containers;
    }

    private static String programs(String component) {
        return kubectl.run("-n", Installation.NAMESPACE, "get", "pods", "-l", "component=" + component, "-o", "name");
    }

    /** The configuration of kube-scheduler as it was: gpushare's extender is a double that binds itself. */
    private static Path withoutExtender() throws IOException {
        for (String name : List.of("config-v1beta1.yaml", "config-v1beta2.yaml", "config-v1.yaml")) {
            String config = Files.readString(ROOT.resolve("deploy/scheduler").resolve(name));
            Files.writeString(folder.resolve(name), config.substring(0, config.indexOf("\nextenders:") + 1));
        }
        return folder;
    }
}
