package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Restarts of the kubelet and the plugin, a reboot, a leader that loses its Lease, and an unhealthy card. */
class RecoveryIT extends ClusterScenario {
    /** The Lease lasts 15 s, and another extender tries to acquire it every 2 s. */
    private static final Duration LEASE = Duration.ofSeconds(40);

    @Test
    void restartsOfKubeletAndPluginAndALostSocketLeaveRunningPodsAlone() {
        pods.createMemory("before", 2);
        JsonNode before = pods.running("before");
        cluster.restartKubelet();
        survives(before, "after-kubelet");
        restartPlugin();
        survives(before, "after-plugin");
        cluster.onNode("sh", "-c", "rm /var/lib/kubelet/device-plugins/gpushare*.sock");
        survives(before, "after-socket");
    }

    private static void restartPlugin() {
        cluster.kubectl()
                .run(
                        "-n",
                        Installation.NAMESPACE,
                        "delete",
                        "pod",
                        "-l",
                        "component=gpu-share-device-plugin",
                        "--wait");
        installation.ready(Installation.PLUGIN);
    }

    /**
     * The number of restarts is an option, for example {@code -Dgpushare.restarts=10}; there are 30 pods for each.
     */
    @Test
    void plannedRestartsOfThePluginRejectNoPod() {
        int restarts = Integer.getInteger("gpushare.restarts", 3);
        int completions = 30 * restarts;
        pods.createJob("short", completions);
        for (int restart = 0; restart < restarts; restart++) {
            restartPlugin();
        }
        JsonNode status = Await.until(
                Duration.ofMinutes(5).multipliedBy(restarts),
                "the Job has ended",
                () -> cluster.kubectl().json("get", "job", "short").at("/status"),
                now -> now.path("succeeded").asInt() == completions
                        || now.path("failed").asInt() > 0);
        assertThat(status.path("failed").asInt())
                .as("rejected pods, status %s", status)
                .isZero();
        cluster.kubectl().run("delete", "job", "short", "--wait");
    }

    /**
     * A new pod runs within 30 s, the next node status has the full capacity, and the old pod is unaffected. The
     * kubelet briefly has no devices while the API still shows them, and rejects a pod that arrives then, so the test
     * uses a Deployment. The kubelet may report this state late.
     */
    private void survives(JsonNode before, String next) {
        pods.deployMemory(next, 1);
        String pod = pods.deployed(next, Duration.ofSeconds(30));
        assertThat(pods.sees(pod, "main")).isEqualTo(cardOf(pod, "main"));
        Await.until(
                NODE_STATUS,
                "capacity is back",
                ClusterScenario::allocatable,
                allocatable -> allocatable.matches("30 units, [01] cards"));
        JsonNode now = pods.pod("before");
        assertThat(now.at("/metadata/uid")).isEqualTo(before.at("/metadata/uid"));
        assertThat(Pods.ready(now)).isTrue();
        assertThat(now.at("/status/containerStatuses/0/restartCount").intValue())
                .isZero();
        pods.undeploy(next);
    }

    /**
     * The kubelet admits its pods before it has started the plugin. Since 1.25 it then rejects those with devices for
     * good; before, it starts them with the devices of its checkpoint. A pod that a controller replaces comes back
     * either way, and a rejected one holds nothing.
     */
    @Test
    void afterARebootPodsComeBackOrHoldNothing() {
        pods.createMemory("alone", 2);
        pods.deployMemory("replaced", 1);
        pods.running("alone");
        String card = pods.sees("alone", "main");
        pods.deployed("replaced", Duration.ofSeconds(30));
        cluster.rebootNode();
        JsonNode alone = Await.until(
                NODE_STATUS,
                "the kubelet has decided about the pod",
                () -> pods.pod("alone"),
                now -> now.at("/status/phase").asText().equals("Failed")
                        || (now.at("/status/containerStatuses/0/restartCount").asInt() > 0 && Pods.ready(now)));
        boolean rejected = alone.at("/status/phase").asText().equals("Failed");
        System.out.printf(
                "recovery: after a reboot %s: %s%n",
                rejected ? "the pod is rejected" : "the pod runs again",
                alone.at("/status/message").asText());
        if (rejected) {
            assertThat(alone.at("/status/reason").asText()).isEqualTo("UnexpectedAdmissionError");
        } else {
            assertThat(pods.sees("alone", "main")).isEqualTo(card);
        }
        installation.ready(Installation.PLUGIN);
        Await.until(
                NODE_STATUS,
                "capacity is back",
                ClusterScenario::allocatable,
                allocatable -> allocatable.startsWith("30 units, "));
        // One card, and of the other what the pods that hold something leave.
        pods.createWhole("whole", 1);
        pods.createMemory("rest", rejected ? 14 : 12);
        pods.running("whole");
        pods.running("rest");
        assertThat(pods.sees(pods.deployed("replaced", Duration.ofSeconds(60)), "main"))
                .isEqualTo(pods.sees("rest", "main"));
        pods.undeploy("replaced");
    }

    /**
     * kube-scheduler keeps its connection through the NodePort, and kube-proxy never moves it to another extender: the
     * former leader must close it.
     */
    @Test
    void aLeaderThatWasFrozenUntilItLostItsLeaseDoesNotKeepKubeScheduler() {
        pods.createMemory("before", 1);
        pods.running("before");
        String former = leader();
        signal("STOP", former);
        Await.until(LEASE, "another extender leads", RecoveryIT::leader, now -> !now.equals(former));
        signal("CONT", former);

        // On a slow machine the liveness probe has restarted it by now.
        pods.createMemory("after", 1);

        assertThat(cardOf(pods.running("after"), "main")).isNotEmpty();
        assertThat(leader()).isNotEqualTo(former);
    }

    /** The pod that holds the extenders' Lease. */
    private static String leader() {
        return cluster.kubectl()
                .json("get", "lease", "gpushare-schd-extender", "-n", Installation.NAMESPACE)
                .at("/spec/holderIdentity")
                .asText()
                .replaceFirst("_.*", "");
    }

    private static void signal(String signal, String pod) {
        cluster.onNode(
                "sh",
                "-c",
                "for each in /proc/[0-9]*; do if tr '\\0' '\\n' <$each/environ 2>/dev/null | grep -qx HOSTNAME=" + pod
                        + "; then kill -" + signal + " ${each#/proc/}; fi; done");
    }

    @Test
    void anUnhealthyCardIsWithdrawnUntilItIsHealthyAgain() {
        pods.createMemory("first", 1);
        String unhealthy = cardOf(pods.running("first"), "main");
        int line = indexOf(unhealthy);
        String[] cards = twoT4();
        cards[line] += " xid=79#1 error=15";
        installation.cards(cards);
        Await.until(
                NODE_STATUS,
                "the unhealthy card is withdrawn",
                ClusterScenario::allocatable,
                now -> now.equals("15 units, 1 cards"));
        pods.createMemory("second", 1);
        assertThat(cardOf(pods.running("second"), "main")).isNotEqualTo(unhealthy);
        assertThat(Pods.ready(pods.pod("first"))).isTrue();
        installation.cards(twoT4());
        Await.until(
                Duration.ofSeconds(90),
                "the card returns",
                ClusterScenario::allocatable,
                now -> now.equals("30 units, 0 cards"));
    }
}
