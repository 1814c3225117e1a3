package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Pods;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What pods have by claims, as the extender shows it: it reads, and kube-scheduler, which does not know it, decides.
 */
@Tag("release")
class ClaimsShownIT extends ClaimsScenario {
    private static final String VIEW =
            "/api/v1/namespaces/kube-system/services/gpushare-schd-extender:http/proxy/gpushare-scheduler/v1/";

    @BeforeAll
    static void withExtender() {
        install("isolation: {provider: none}", "", List.of("scheduler-extender.yaml"));
        shared.installation().ready(Installation.EXTENDER);
        template("most", "exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 13Gi}}}");
    }

    @AfterAll
    static void withoutExtender() {
        shared.installation().removePrograms();
    }

    @AfterEach
    @Override
    void nothingIsLeft() {
        super.nothingIsLeft();
        shows("top-pods", "No pods");
    }

    @Test
    void aShareAndAWholeCardAreShownAndWhyAnotherPodWaits() {
        create("share", "share-3");
        pods.running("share");
        create("whole", "card");
        pods.running("whole");
        String table = shows("top-pods", " whole ").replaceAll(" +", " ");
        assertThat(table).contains("default share " + cluster.node() + " 0 3 GiB", "default whole " + cluster.node());
        assertThat(shows("nodes", "18/30 GiB")).contains("* taken whole").doesNotContain("no cards to offer");
        assertThat(get("nodes?names=" + cluster.node()))
                .contains("\"name\":\"share\",\"units\":3", "\"name\":\"whole\",\"units\":15,\"whole\":true");
        assertThat(get("cluster")).contains("\"shares\":[0,3]", "\"shares\":[0,15]");
        assertThat(get("text/why?namespace=default&pod=share"))
                .startsWith("Pod default/share is on node " + cluster.node() + ", card GPU-");

        create("waits", "most");
        pods.refused("waits", "cannot allocate all claims");
        assertThat(shows("why?namespace=default&pod=waits", "at most 12 GiB of 15 GiB free on one card, 13 GiB needed"))
                .startsWith("Pod default/waits requests 13 GiB of memory on one card.")
                .contains("It fits on node " + cluster.node() + ", card ");
        metric("gpushare_extender_waiting_pods{why=\"full\"} 1.0");
        metric("gpushare_cluster_cards{model=\"Tesla T4\",state=\"shared\"} 1.0");
        metric("gpushare_cluster_cards{model=\"Tesla T4\",state=\"whole\"} 1.0");
        Await.until(
                PATIENCE,
                "the pod is told what helps",
                () -> ClusterScenario.events(cluster, "waits"),
                events -> events.contains("GpuPodWaits") && events.contains("It fits on node "));

        pods.delete("share");
        pods.running("waits");
        assertThat(shows("top-pods", " waits ")).doesNotContain(" share ");
    }

    @Test
    void anOrdinaryPodIsToldToWriteAClaim() {
        pods.createMemory("ordinary", 2);
        assertThat(shows("why?namespace=default&pod=ordinary", "Node " + cluster.node()))
                .contains("serves claims (deploy/docs/use/claims.md): write a ResourceClaim");
    }

    @Test
    void aClaimOfAnUnknownClassWaitsWithItsName() {
        template("unknown", "exactly: {deviceClassName: gpushare-card-of-nobody}");
        create("unknown", "unknown");
        JsonNode waits = pods.refused("unknown", "gpushare-card-of-nobody");
        System.out.println("claims: unknown class, the pod: " + Pods.unschedulable(waits));
        System.out.println("claims: unknown class, why: " + get("text/why?namespace=default&pod=unknown"));
        System.out.println("claims: unknown class, Events: " + ClusterScenario.events(cluster, "unknown"));
        assertThat(shows("why?namespace=default&pod=unknown", "gpushare-card-of-nobody"))
                .contains("does not exist");
    }

    private static String get(String path) {
        return cluster.kubectl().run("get", "--raw", VIEW + path);
    }

    private static String shows(String path, String words) {
        return Await.until(PATIENCE, path + " shows " + words, () -> get("text/" + path), now -> now.contains(words));
    }

    private static void metric(String line) {
        Await.until(
                PATIENCE,
                line,
                () -> cluster.kubectl().run("get", "--raw", VIEW.replace("gpushare-scheduler/v1/", "metrics")),
                metrics -> metrics.lines().anyMatch(line::equals));
    }
}
