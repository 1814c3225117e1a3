package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.LocalCluster;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Cards that DeviceTaintRules of a real API server taint. On 1.36 they need a feature gate and a beta version. */
@Tag("release")
class TaintRulesIT extends ClaimsScenario {
    private static final String VIEW =
            "/api/v1/namespaces/kube-system/services/gpushare-schd-extender:http/proxy/gpushare-scheduler/v1/text/";

    private static boolean served;

    @BeforeAll
    static void withRules() {
        assumeThat(cluster).as("a cluster whose feature gates can be changed").isInstanceOf(LocalCluster.class);
        served = true;
        ((LocalCluster) cluster).features("DRADeviceTaintRules=true", "resource.k8s.io/v1beta2=true");
        assumeThat(cluster.kubectl().run("api-resources", "--api-group=resource.k8s.io", "--output=name"))
                .as("a Kubernetes that serves DeviceTaintRules as v1beta2")
                .contains("devicetaintrules");
        install("isolation: {provider: none}", "", List.of("scheduler-extender.yaml"));
        shared.installation().ready(Installation.EXTENDER);
    }

    @AfterAll
    static void withoutRules() {
        if (served) {
            shared.installation().removePrograms();
            ((LocalCluster) cluster).features("", "");
        }
    }

    @AfterEach
    void noRule() {
        cluster.kubectl().run("delete", "devicetaintrules", "--all");
    }

    private static void rule(String card, String effect) {
        cluster.kubectl().apply("""
            apiVersion: resource.k8s.io/v1beta2
            kind: DeviceTaintRule
            metadata: {name: broken-fan}
            spec:
              deviceSelector: {driver: gpushare.io, pool: %s, device: %s}
              taint: {key: example.com/broken, value: fan, effect: %s}
            """.formatted(cluster.node(), card.toLowerCase(Locale.ROOT), effect));
    }

    private static String shows(String path, String words) {
        return Await.until(
                PATIENCE,
                path + " shows " + words,
                () -> cluster.kubectl().run("get", "--raw", VIEW + path),
                now -> now.contains(words));
    }

    @Test
    void kubeSchedulerLeavesATaintedCardAndTheViewNamesTheRule() {
        create("share", "share-3");
        String card = sees("share").split(" ")[0];
        create("whole", "card");
        assertThat(sees("whole")).startsWith("GPU-").doesNotStartWith(card);
        rule(card, "NoSchedule");
        String nodes = shows("nodes", "# tainted");
        System.out.println("claims: with a DeviceTaintRule, nodes: " + nodes);
        assertThat(nodes).contains("tainted (example.com/broken=fan:NoSchedule by DeviceTaintRule broken-fan)");
        create("waits", "share-3");
        pods.refused("waits", "cannot allocate all claims");
        String why = shows("why?namespace=default&pod=waits", "tainted by a DeviceTaintRule");
        System.out.println("claims: with a DeviceTaintRule, why: " + why);
        assertThat(why).contains("None of 1 node can take it now");
        cluster.kubectl().run("delete", "devicetaintrule", "broken-fan");
        pods.running("waits");
        assertThat(shows("nodes", "GiB")).doesNotContain("# tainted");
    }

    @Test
    void podsOfACardThatIsTaintedByNoExecuteLeave() {
        create("share", "share-3");
        String card = sees("share").split(" ")[0];
        rule(card, "NoExecute");
        Await.until(
                PATIENCE,
                "the pod is evicted",
                () -> cluster.kubectl().run("get", "pods", "--output=name"),
                names -> !names.contains("share"));
        assertThat(shows("nodes", "# tainted")).contains("NoExecute by DeviceTaintRule broken-fan");
        assertThat(files()).isEmpty();
    }
}
