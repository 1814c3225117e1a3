package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.LocalCluster;
import io.gpushare.e2e.cluster.Pods;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Planned restarts of the driver, of the kubelet and of the API server, a reboot, and a driver that is absent. */
@Tag("release")
class ClaimsRecoveryIT extends ClaimsScenario {
    private static final Duration OUTAGE = Duration.ofSeconds(10);
    private static final int UNITS_OF_A_CARD = 15;
    private static final Pattern CARD = Pattern.compile("NVIDIA_VISIBLE_DEVICES=(GPU-[^\"]+)");
    private static final Pattern GIVEN = Pattern.compile("ALIYUN_COM_GPU_MEM_CONTAINER=([0-9]+)");

    /**
     * The number of restarts is an option, for example {@code -Dgpushare.restarts=10}; there are 30 pods for each. The
     * kubelet restarts after every third one, and the API server after every fifth.
     */
    @Test
    void plannedRestartsUnderLoadRejectNoPodAndLeaveNoClaimOrFile() throws Exception {
        create("before", "share-3");
        JsonNode before = pods.running("before");
        int restarts = Integer.getInteger("gpushare.restarts", 3);
        int completions = 30 * restarts;
        job("short", completions, 4);
        List<Long> absences = new ArrayList<>();
        for (int restart = 1; restart <= restarts; restart++) {
            absences.add(restartDriver());
            if (restart % 3 == 0) {
                cluster.restartKubelet();
            }
            if (restart % 5 == 0 && cluster instanceof LocalCluster local) {
                local.component("stop", "kube-apiserver");
                TimeUnit.MILLISECONDS.sleep(OUTAGE.toMillis());
                local.component("start", "kube-apiserver");
            }
            noCardIsGivenTwice();
        }
        JsonNode status = Await.until(
                Duration.ofMinutes(3).multipliedBy(restarts),
                "the Job has ended",
                () -> {
                    noCardIsGivenTwice();
                    return cluster.kubectl()
                            .json("-n", "default", "get", "job", "short")
                            .at("/status");
                },
                now -> now.path("succeeded").asInt() == completions
                        || now.path("failed").asInt() > 0);
        System.out.println("claims: " + completions + " pods, " + restarts
                + " restarts of the driver, without one for (ms): " + absences);
        assertThat(status.path("failed").asInt())
                .as("failed pods, status %s", status)
                .isZero();
        assertThat(absences).allSatisfy(millis -> assertThat(millis).isLessThan(30_000));
        undisturbed(before);
        cluster.kubectl().run("-n", "default", "delete", "job", "short", "--wait");
        Await.until(PATIENCE, "only the running pod has a file", ClaimsScenario::files, files -> files.size() == 1);
        Await.until(
                PATIENCE,
                "only the running pod has a claim",
                () -> cluster.kubectl()
                        .json("-n", "default", "get", "resourceclaims")
                        .path("items"),
                claims -> claims.size() == 1);
    }

    /** Returns how long the kubelet had no driver, in milliseconds, give or take the time of a look. */
    private static long restartDriver() throws InterruptedException {
        cluster.kubectl().run("-n", Installation.NAMESPACE, "rollout", "restart", DRIVER);
        String absence = cluster.onNode("sh", "-c", """
            s=/var/lib/kubelet/plugins_registry/gpushare.io-reg.sock
            i=0; while [ -S $s ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done
            b=$(date +%s%3N)
            i=0; while [ ! -S $s ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done
            echo $(($(date +%s%3N) - b))
            """);
        shared.installation().ready(DRIVER);
        return Long.parseLong(absence.strip());
    }

    /** What the files of claims give of each card, in units. */
    private static void noCardIsGivenTwice() {
        Map<String, Integer> units = new HashMap<>();
        for (String file : cluster.onNode(
                        "sh", "-c", "for f in /var/run/cdi/gpushare.io-claim_*.json; do cat $f 2>/dev/null; echo; done")
                .split("\n", -1)) {
            Matcher card = CARD.matcher(file);
            Matcher given = GIVEN.matcher(file);
            if (card.find() && given.find()) {
                units.merge(card.group(1), Integer.parseInt(given.group(1)), Integer::sum);
            }
        }
        assertThat(units).allSatisfy((_, sum) -> assertThat(sum).isLessThanOrEqualTo(UNITS_OF_A_CARD));
    }

    /** The driver's container runs no longer either. A kubelet prepares claims again for new sandboxes only. */
    @Test
    void afterARebootThePodsComeBackWithTheirCards() {
        create("share", "share-3");
        create("whole", "card");
        String share = sees("share");
        String whole = sees("whole");
        cluster.rebootNode();
        for (String pod : List.of("share", "whole")) {
            Await.until(
                    PATIENCE,
                    pod + " runs again",
                    () -> pods.pod(pod),
                    now -> now.at("/status/containerStatuses/0/restartCount").asInt() > 0
                            && now.at("/status/containerStatuses/0/ready").asBoolean());
        }
        shared.installation().ready(DRIVER);
        assertThat(sees("share")).isEqualTo(share);
        assertThat(sees("whole")).isEqualTo(whole);
        assertThat(files()).hasSize(2);
    }

    /** The kubelet keeps the slices of a driver that is away for less than 30 s. */
    @Test
    void aDriverThatIsAbsentDelaysPodsAndDisturbsNone() throws Exception {
        create("before", "share-3");
        JsonNode before = pods.running("before");
        for (int seconds : new int[] {20, 40}) {
            String name = "during-" + seconds;
            cluster.kubectl().run("label", "node", cluster.node(), "gpushare-");
            Await.until(
                    PATIENCE,
                    "the driver is gone",
                    () -> cluster.onNode("sh", "-c", "ls /var/lib/kubelet/plugins_registry"),
                    sockets -> !sockets.contains("gpushare.io"));
            create(name, "share-3");
            TimeUnit.SECONDS.sleep(seconds);
            int slices = slices().size();
            String events = ClusterScenario.events(cluster, name);
            cluster.kubectl().run("label", "node", cluster.node(), "gpushare=true");
            long began = System.nanoTime();
            Await.until(PATIENCE, name + " runs", () -> pods.pod(name), Pods::ready);
            System.out.printf(
                    "claims: driver absent for %d s: %d slices, the pod runs %d s after its return, events %s%n",
                    seconds, slices, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began), events.strip());
            assertThat(slices).as("slices while the driver is absent").isEqualTo(seconds < 30 ? 1 : 0);
            undisturbed(before);
            assertThat(slices()).hasSize(1);
        }
    }
}
