package io.gpushare.e2e.cluster.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Pods;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What {@code why}, the page, Events, list and metric say of waiting pods where more than cards decides: in a cluster
 * of two pools, with a gate as Kueue's, in a rolling update, and while pods are being deleted.
 */
@Tag("release")
class NodePoolsIT extends ClusterScenario {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String EXTENDER = "/api/v1/namespaces/kube-system/services/gpushare-schd-extender:http/proxy";
    private static final String OTHER = "other-pool";

    private static ClusterPage page;

    /** The second pool is a node object with cards that nothing uses; no kubelet runs there. */
    @BeforeAll
    static void pools() throws IOException {
        page = new ClusterPage(cluster, EXTENDER);
        cluster.kubectl().run("label", "node", cluster.node(), "pool=red", "--overwrite");
        JsonNode node = cluster.kubectl().json("get", "node", cluster.node());
        cluster.kubectl().apply("""
            apiVersion: v1
            kind: Node
            metadata:
              name: %s
              labels: {pool: blue}
              annotations: {gpushare.io/inventory: '%s'}
            """.formatted(
                OTHER, node.at("/metadata/annotations/gpushare.io~1inventory").asText()));
    }

    @AfterAll
    static void onePool() {
        if (page != null) {
            page.close();
        }
        cluster.kubectl().run("delete", "--ignore-not-found", "node", OTHER);
        cluster.kubectl().run("label", "node", cluster.node(), "pool-");
    }

    @Test
    void noNodeHasTheSelectedLabel() {
        fill(1);
        create("research", MEMORY + ": 8", "nodeSelector: {pool: research}");
        String why = "No node with cards has the label pool=research, which its nodeSelector requires; present are"
                + " blue, red.";
        assertThat(why("research", why)).doesNotContain("would let it run", "It fits");
        assertThat(event("research")).contains(why);
        assertThat(Pods.unschedulable(pods.pod("research"))).containsIgnoringCase("node affinity");
        counts("not_accepted");
    }

    @Test
    void theSelectedPoolIsFull() {
        fill(1);
        create("red", MEMORY + ": 8", "nodeSelector: {pool: red}");
        String ends = "It fits on node " + cluster.node() + ", card 0, when pod default/full-";
        assertThat(why("red", ends)).doesNotContain("By its cards it fits");
        assertThat(event("red")).contains(ends);
        counts("full");
    }

    @Test
    void aGateHoldsThePodUntilItIsRemoved() throws IOException {
        needs("gates");
        create("gated", MEMORY + ": 8", "schedulingGates: [{name: kueue.x-k8s.io/admission}]");
        assertThat(why("gated", "It is held by its scheduling gate kueue.x-k8s.io/admission"))
                .contains("Nothing of GPU Share keeps it.");
        counts("gated");
        cluster.kubectl()
                .run(
                        "-n",
                        "default",
                        "patch",
                        "pod",
                        "gated",
                        "--type=json",
                        "-p",
                        "[{\"op\":\"remove\",\"path\":\"/spec/schedulingGates\"}]");
        pods.running("gated");
    }

    @Test
    void aRollingUpdateWithoutRoomNamesTheOldPod() {
        pods.deployMemory("web", 12);
        String old = pods.deployed("web", SOON);
        create("other", MEMORY + ": 12", "nodeSelector: {pool: red}");
        pods.running("other");
        cluster.kubectl().run("-n", "default", "set", "env", "deployment/web", "VERSION=2");
        String fresh = Await.until(
                        SOON,
                        "the new pod waits",
                        pods::all,
                        all -> all.valueStream()
                                .anyMatch(pod -> !Pods.unschedulable(pod).isEmpty()))
                .valueStream()
                .filter(pod -> !Pods.unschedulable(pod).isEmpty())
                .findFirst()
                .orElseThrow()
                .at("/metadata/name")
                .asText();
        String advice = "Of the same Deployment, pod default/" + old + " holds node " + cluster.node();
        assertThat(why(fresh, advice)).contains("set maxUnavailable to 1 in the strategy of Deployment web");
        assertThat(event(fresh)).contains(advice);
        cluster.kubectl()
                .run(
                        "-n",
                        "default",
                        "patch",
                        "deployment",
                        "web",
                        "-p",
                        "{\"spec\":{\"strategy\":{\"rollingUpdate\":{\"maxUnavailable\":1}}}}");
        pods.running(fresh);
    }

    @Test
    void podsThatAreBeingDeletedLeaveByTheirGrace() {
        fill(60);
        cluster.kubectl().run("-n", "default", "delete", "pod", "full-0", "full-1", "--wait=false");
        create("two", "aliyun.com/gpu-count: 2", "nodeSelector: {pool: red}");
        String text = why("two", "which are being deleted, by ");
        assertThat(text)
                .containsPattern("by [0-9]{2}:[0-9]{2}:[0-9]{2} UTC at the latest")
                .doesNotContain("more node");
        assertThat(event("two")).contains("which are being deleted, by ");
    }

    /** Both cards are full, by pods of that grace period. */
    private static void fill(int grace) {
        for (int i = 0; i < 2; i++) {
            cluster.kubectl()
                    .apply(pods.manifest("full-" + i, Map.of("main", MEMORY + ": 15"))
                            .replace("PeriodSeconds: 1", "PeriodSeconds: " + grace)
                            .replace("spec:\n", "spec:\n  nodeSelector: {pool: red}\n"));
            pods.running("full-" + i);
        }
    }

    private static void create(String name, String limit, String spec) {
        cluster.kubectl()
                .apply(pods.manifest(name, Map.of("main", limit)).replace("spec:\n", "spec:\n  " + spec + "\n"));
    }

    private record Said(String why, String page) {}

    /** What why prints, of which the page says every sentence that helps. */
    private static String why(String pod, String words) {
        String path = EXTENDER + "/gpushare-scheduler/v1/text/why?namespace=default&pod=" + pod;
        Await.until(
                SOON,
                "why says: " + words,
                () -> cluster.kubectl().run("get", "--raw", path),
                now -> now.contains(words));
        String text = Await.until(
                        SOON,
                        "the page says what why says",
                        () -> new Said(cluster.kubectl().run("get", "--raw", path), page.says(pod, words)),
                        said -> said.why()
                                .lines()
                                .filter(line -> line.startsWith("- "))
                                .allMatch(line -> said.page().contains(line.substring(2))))
                .why();
        System.out.println("e2e: " + text);
        return text;
    }

    private static String event(String pod) {
        return Await.until(
                SOON,
                "an Event tells the pod what helps",
                () -> cluster.kubectl()
                        .run(
                                "-n",
                                "default",
                                "get",
                                "events",
                                "--field-selector",
                                "reason=GpuPodWaits,involvedObject.name=" + pod,
                                "-o",
                                "jsonpath={.items[*].message}"),
                text -> !text.isEmpty());
    }

    private static void counts(String why) {
        Await.until(
                SOON,
                "the metric counts a pod as " + why,
                () -> cluster.kubectl().run("get", "--raw", EXTENDER + "/metrics"),
                text -> text.contains("gpushare_extender_waiting_pods{why=\"" + why + "\"} 1.0"));
    }
}
