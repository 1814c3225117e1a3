package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Isolation by MPS: what holds the programs of containers to their memory, and which faults hurt whom. */
@Tag("release")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MpsOnClusterIT extends ClusterScenario {
    private static int offered;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static SimulatedMps mps;
    private static Tenants tenants;

    @BeforeAll
    static void isolate() {
        shared.reinstallNext();
        mps = new SimulatedMps(cluster, ROOT);
        tenants = new Tenants(cluster, mps);
        mps.copyPrograms(List.of(cluster.node()));
        mps.installSupervisor();
        mps.isolate(installation, "--mps-over-use-grace=3s");
        inForce();
    }

    @AfterAll
    static void remove() {
        if (mps != null) {
            mps.removeSupervisor();
        }
    }

    private static void inForce() {
        Await.until(
                PATIENCE,
                "MPS is in force on both cards",
                ClusterScenario::inventory,
                cards -> cards.findValuesAsText("isolation").equals(List.of("mps", "mps")));
        offered = 28; // the rest is kept for the driver and MPS
        allocatable(offered, 2);
    }

    @Override
    public int units() {
        return offered;
    }

    @Test
    @Order(1)
    void unequalLimitsOnOneCardAreExactAlsoForATenantThatChangesItsDirectory() {
        // They fill the card: its 14 units leave the driver and the server of MPS what these need.
        String card = card(0);
        tenants.create("two", 2, 0, card, "2048", "1");
        tenants.create("five", 5, 0, card, "5120", "1");
        tenants.create("seven", 7, 0, card, "7168", "1");
        for (String each : List.of("two 2048", "five 5120", "seven 7168")) {
            String[] words = each.split(" ", 2);
            tenants.prints(words[0], "ok " + words[1], "error 2");
            assertThat(cardOf(words[0], "main")).isEqualTo(card);
        }

        // With another directory it can't compute at all.
        tenants.more("two", "elsewhere", "env CUDA_MPS_PIPE_DIRECTORY=/nowhere", "1");
        tenants.morePrints("two", "elsewhere", "error 46");
        for (String pod : List.of("two", "five", "seven")) {
            assertThat(tenants.phase(pod)).as(pod).isEqualTo("Running");
        }
        show("2, 5 and 7 GiB, which fill one card, are exact; another directory: error 46");
    }

    @Test
    @Order(2)
    void theNewestOfTwoProgramsThatTogetherExceedTheLimitIsTerminatedAndNobodyElse() {
        String card = card(0);
        tenants.create("a", 2, 0, card, "1500");
        tenants.create("b", 4, 0, card, "4000");
        tenants.prints("a", "ok 1500");
        tenants.prints("b", "ok 4000");

        tenants.more("a", "second", "", "1500");

        tenants.morePrints("a", "second", "ok 1500", "lost 810");
        Await.until(
                PATIENCE,
                "an Event names the program",
                () -> events("a"),
                events -> events.contains("GpuMpsProcessTerminated") && events.contains("together use 2.9 GiB"));
        // A plugin that starts without the API server finds the pod of a process by that alone.
        String uid = cluster.kubectl()
                .json("-n", "default", "get", "pod", "a")
                .at("/metadata/uid")
                .asText();
        assertThat(cluster.onNode("sh", "-c", "cat /proc/[0-9]*/cgroup 2>/dev/null || true"))
                .contains("pod" + uid);
        // Without its variable the limit of the server holds it, which is the largest share of the card, and then its
        // sum.
        tenants.more("a", "unset", "env -u CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "4096", "1");
        tenants.morePrints("a", "unset", "ok 4096", "error 2", "lost 810");

        assertThat(tenants.phase("a")).isEqualTo("Running");
        tenants.prints("a", "ok 1500");
        tenants.prints("b", "ok 4000");
        assertThat(events("b")).doesNotContain("GpuMps");
        show("two programs of one container: the newest is terminated, the first and the neighbour are not; without the"
                + " variable: the largest share, then terminated");
    }

    @Test
    @Order(3)
    void theComputeModeFollowsThePodsOfTheCard() {
        String card = card(0);
        Await.until(PATIENCE, "the card is open to all programs", () -> mode(card), mode -> mode == 0);
        StringBuilder modes = new StringBuilder("free " + mode(card));
        tenants.create("memory", 2, 0, card, "2048");
        tenants.prints("memory", "ok 2048");
        modes.append(", memory pod ").append(mode(card));
        pods.delete("memory");
        cluster.kubectl()
                .apply(pods.manifest(
                        "whole", Map.of("nvidia.com/use-gpuuuid", card), Map.of("main", "aliyun.com/gpu-count: 1")));
        pods.running("whole");
        modes.append(", whole-card pod ").append(mode(card));
        pods.delete("whole");
        tenants.create("again", 3, 0, card, "3072", "1");
        tenants.prints("again", "ok 3072", "error 2");
        modes.append(", memory pod ").append(mode(card));
        show("compute mode: " + modes);
        assertThat(modes.toString()).isEqualTo("free 0, memory pod 3, whole-card pod 0, memory pod 3");
    }

    private static int mode(String card) {
        return mps.mode(cluster.node(), card);
    }

    @Test
    @Order(4)
    void whoIsHurtByAFaultAndWhenTheNextPodStarts() {
        String card = card(0);
        tenants.create("other", 2, 0, card(1), "2000");
        tenants.prints("other", "ok 2000");

        fault(
                "the plugin restarted",
                card,
                "",
                () -> cluster.kubectl()
                        .run(
                                "-n",
                                Installation.NAMESPACE,
                                "delete",
                                "pods",
                                "-l",
                                "component=gpu-share-device-plugin",
                                "--wait=true"));
        fault("a client's fatal fault", card, "lost 700", () -> tenants.more("hurt", "fault", "", "10", "fault"));
        fault(
                "the control daemon killed",
                card,
                "lost 806",
                () -> cluster.onNode("sh", "-c", "kill -9 $(cat /run/gpushare/mps/" + card + "/log/daemon.pid)"));
        tenants.prints("other", "ok 2000");
        assertThat(events("other")).doesNotContain("GpuMpsFailed");

        fault(
                "the supervisor killed",
                card,
                "lost 806",
                () -> cluster.onNode(
                        "sh",
                        "-c",
                        "p=$(grep -l 'io[.]gpushare[.]mps[.]SupervisorMain' /proc/[0-9]*/cmdline);"
                                + " p=${p#/proc/}; kill -9 ${p%%/*}"));
        tenants.prints("other", "ok 2000", "lost 806");
    }

    /** A program computes on the card when the fault happens; a new pod follows. */
    private static void fault(String name, String card, String consequence, Runnable cause) {
        tenants.create("hurt", 2, 0, card, "1000");
        tenants.prints("hurt", "ok 1000");
        long start = System.nanoTime();
        cause.run();
        tenants.createUntilAdmitted("next", 3, 0, card, "3072", "1");
        tenants.prints("next", "ok 3072", "error 2");
        long next = Duration.ofNanos(System.nanoTime() - start).toMillis();
        String[] expected = consequence.isEmpty() ? new String[] {"ok 1000"} : new String[] {"ok 1000", consequence};
        tenants.prints("hurt", expected);
        show(name + ": programs on its card: " + (consequence.isEmpty() ? "unharmed" : consequence)
                + "; the next pod computed after " + next + " ms");
        pods.delete("hurt", "next");
    }

    @Test
    @Order(5)
    void programsOfSeveralUsersComputeAtOnceWhereTheControlProgramCan() {
        String card = card(0);
        replaceSupervisor("multi-user=on");
        for (int user : new int[] {0, 1000, 2000}) {
            tenants.createUntilAdmitted("user-" + user, 2, user, card, "2048", "1");
            tenants.prints("user-" + user, "ok 2048", "error 2");
        }
        show("multi-user mode: users 0, 1000 and 2000 compute at once");
        pods.deleteEverything();

        replaceSupervisor("");
        tenants.createUntilAdmitted("served", 2, 0, card, "2048");
        tenants.prints("served", "ok 2048");
        tenants.create("waiting", 3, 1000, card, "3072");
        Await.until(
                PATIENCE,
                "the program that waits is reported",
                () -> events("waiting"),
                events -> events.contains("GpuMpsWaitsForUser"));
        tenants.prints("waiting");
        pods.delete("served");
        tenants.prints("waiting", "ok 3072");
        show("no multi-user mode: the second user waits, with an Event, until the first is gone");
    }

    private static void replaceSupervisor(String script) {
        mps.script(script);
        mps.replaceSupervisor();
        inForce();
    }

    @Test
    @Order(6)
    void aMigInstanceHasADaemonOfItsOwnAndAnotherCutEndsIt() {
        cut("3g.40gb,1g.10gb", 39 + 9);
        String large = instance("3g.40gb");
        tenants.create("two", 2, 0, large, "1024");
        tenants.create("eight", 8, 0, large, "8192", "1");
        tenants.prints("two", "ok 1024");
        tenants.prints("eight", "ok 8192", "error 2");

        tenants.more("two", "elsewhere", "env CUDA_MPS_PIPE_DIRECTORY=/nowhere", "1000");
        tenants.morePrints("two", "elsewhere", "ok 1000");
        Await.until(
                PATIENCE,
                "an Event names the program",
                () -> events("two"),
                events -> events.contains("GpuMpsProcessTerminated") && events.contains("uses another pipe directory"));
        assertThat(tenants.phase("eight")).isEqualTo("Running");
        String parent = inventory().get(0).path("parent").asText();
        assertThat(SimulatedMps.modes(cluster, cluster.node()).keySet()).doesNotContain(large, parent);
        pods.deleteEverything();

        cut("2g.20gb,2g.20gb mig-seed=again", 19 + 19);
        tenants.createUntilAdmitted("next", 3, 0, instance("2g.20gb"), "3072", "1");
        tenants.prints("next", "ok 3072", "error 2");
        cluster.onNode("sh", "-c", "[ ! -e /run/gpushare/mps/" + large + "/state ]");
        show("a MIG instance has a daemon and limits of its own, and another cut ends it; another directory:"
                + " terminated");
    }

    private static void cut(String profiles, int units) {
        installation.cards("card kind=H100-80 uuid-seed=cut mig=" + profiles);
        allocatable(units, 0);
    }

    private static String instance(String profile) {
        return inventory()
                .valueStream()
                .filter(card -> card.path("profile").asText().equals(profile))
                .map(card -> card.path("uuid").asText())
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Order(7)
    void gpusharesFlagIsMpsWhereASupervisorServesTheNodeAndCountsWhereNoneDoes() {
        cluster.kubectl().run("-n", Installation.NAMESPACE, "patch", Installation.PLUGIN, "--patch", """
            {"spec":{"template":{"spec":{"containers":[{"name":"gpushare",
              "env":[{"name":"GPUSHARE_ISOLATION","$patch":"delete"}]}]}}}}\
            """);
        mps.arguments(installation, "--isolation=driver");
        String reason = "driver 580.95.05 has no memory limits: they need 615 or newer";
        Await.until(PATIENCE, "the inventory says why", () -> inventory().toString(), text -> text.contains(reason));
        allocatable(0, 2);
        show("--isolation=driver: " + reason);

        mps.arguments(installation, "--mps=true", "--health-check=true");
        inForce();
        tenants.create("a", 2, 0, card(0), "2048", "1");
        tenants.prints("a", "ok 2048", "error 2");
        pods.deleteEverything();
        Await.until(PATIENCE, "the card is open to all programs", () -> mode(card(0)), mode -> mode == 0);

        mps.removeSupervisor();
        offered = 30;
        String none = "no MPS supervisor serves this node";
        Await.until(PATIENCE, "the inventory says why", () -> inventory().toString(), text -> text.contains(none));
        assertThat(events(cluster.node())).contains("GpuIsolationMissing");
        tenants.create("counted", 2, 0, card(0), "3000");
        tenants.prints("counted", "ok 3000");
        show("--mps=true: in force with a supervisor; without one, memory is counted: " + none);
    }

    private static String card(int index) {
        return inventory().get(index).path("uuid").asText();
    }

    private static void show(String text) {
        System.out.println("e2e: " + text);
    }
}
