package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pod is deleted by force, and a process of it outlives it on its card. */
class StillComputingIT extends WholeProgram {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String UID = "00000000-1111-4222-8333-444444444444";
    private static final int PID = 101;

    private Path proc;

    @BeforeEach
    void proc() throws IOException {
        proc = Files.createDirectory(dir.resolve("proc"));
        cards(CARD_A, CARD_B);
    }

    @Test
    void theNextPodDoesNotGetTheCardUntilTheProcessIsGone() throws Exception {
        StartedProgram first = plugin();
        stuck();
        computes("/kubepods/burstable/pod" + UID + "/" + "a".repeat(64));
        api.delete("stuck");
        list();
        next("next");
        assertThatThrownBy(() -> allocate(CARDS, anyDevice()))
                .hasMessageContaining("is in use by ended pod default/stuck");

        // Known from now on: no device of it is healthy, and the node says after a minute by whom.
        await().until(() -> kubelet.healthy(CARDS).size() == 1);
        await().until(() -> metrics().contains("gpushare_card_in_use{card=\"" + A + "\",model=\"Tesla T4\"} 1.0"));
        passTime(Duration.ofSeconds(61));
        api.awaitEvent("GpuUsedAfterPodEnd", A, "ended pod default/stuck");
        assertThat(api.events()).noneMatch(event -> event.contains("GpuUseWithoutAllocation"));

        // Another process of the plugin did not see the pod.
        first.kill();
        api.delete("next");
        list();
        plugin();
        next("after-a-restart");
        assertThatThrownBy(() -> allocate(CARDS, anyDevice()))
                .hasMessageContaining("in use by ended pod of UID " + UID);

        cards(CARD_A, CARD_B);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        next("last");
        api.delete("after-a-restart");
        assertThat(allocate(CARDS, preferred(CARDS, 1))).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
    }

    /** The kubelet knows first. */
    @Test
    void thePodHasEndedBeforeTheWatchShowsThat() throws Exception {
        plugin();
        stuck();
        computes("/kubepods/burstable/pod" + UID + "/" + "a".repeat(64));
        api.muteWatches();
        api.delete("stuck");
        list();
        next("next");
        assertThatThrownBy(() -> allocate(CARDS, anyDevice()))
                .hasMessageContaining("is in use by ended pod default/stuck");
    }

    @Test
    void aProcessThatIsBeingKilledIsWaitedFor() throws Exception {
        plugin();
        stuck();
        computes("/kubepods/burstable/pod" + UID + "/" + "a".repeat(64));
        api.delete("stuck");
        list();
        next("next");
        AtomicBoolean killed = new AtomicBoolean();
        CompletableFuture<Void> end = CompletableFuture.runAsync(
                () -> {
                    try {
                        killed.set(true);
                        Files.delete(proc.resolve(PID + "/cgroup"));
                        cards(CARD_A, CARD_B);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
        List<String> device = List.of(kubelet.healthy(CARDS).getFirst());
        assertThat(allocate(CARDS, device)).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
        assertThat(killed).isTrue();
        end.join();
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
    }

    /** A tenant may delete pods by force that end after days. */
    @Test
    void aShareThatIsKeptAfterTheEndIsReportedAndClosesNothing() throws Exception {
        plugin();
        pod("stuck", UID, MEMORY, 3, memoryOn(A, 3));
        allocate(MEMORY, preferred(MEMORY, 3));
        computes("/kubepods/burstable/pod" + UID + "/" + "a".repeat(64));
        api.delete("stuck");
        list();
        pod("next", "uid-next", MEMORY, 3, memoryOn(A, 3));
        assertThat(allocate(MEMORY, preferred(MEMORY, 3))).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
        await().until(() -> log().contains("ended pod default/stuck still computes on card " + A));
        passTime(Duration.ofSeconds(61));
        await().until(() -> api.events().stream()
                .anyMatch(
                        event -> event.contains("GpuUsedAfterPodEnd") && event.contains("take memory from its pods")));
        assertThat(metrics()).contains("gpushare_card_in_use{card=\"" + A + "\",model=\"Tesla T4\"} 0.0");
    }

    /** The programs of two pods that have ended take turns, so that one of them is always new. */
    @Test
    void theNextPodIsAnsweredWhileEndedPodsTakeTurns() throws Exception {
        plugin();
        String other = UID.replace('4', '5');
        pod("stuck", UID, MEMORY, 1, memoryOn(A, 1));
        allocate(MEMORY, preferred(MEMORY, 1));
        pod("other", other, MEMORY, 1, memoryOn(A, 1));
        list("stuck", "other");
        allocate(MEMORY, preferred(MEMORY, 1));
        computes("/kubepods/burstable/pod" + UID + "/" + "a".repeat(64));
        Files.writeString(
                Files.createDirectories(proc.resolve("102")).resolve("cgroup"),
                "0::/kubepods/burstable/pod" + other + "/" + "b".repeat(64) + "\n");
        api.delete("stuck");
        api.delete("other");
        list();
        AtomicBoolean end = new AtomicBoolean();
        Thread turns = Thread.ofPlatform().start(() -> {
            String first = "process pid=" + PID + " card=0 memory=1GiB utilisation=10";
            String second = first.replace(String.valueOf(PID), "102");
            List<List<String>> shown = List.of(List.of(first), List.of(first, second), List.of(second));
            for (int turn = 0; !end.get(); turn++) {
                try {
                    List<String> now = new ArrayList<>(List.of(CARD_A, CARD_B));
                    now.addAll(shown.get(List.of(0, 1, 2, 1).get(turn % 4)));
                    cards(now.toArray(String[]::new));
                    TimeUnit.MILLISECONDS.sleep(600);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        try {
            pod("next", "uid-next", MEMORY, 3, memoryOn(A, 3));
            List<String> devices = preferred(MEMORY, 3);
            assertThat(Patience.result(CompletableFuture.supplyAsync(() -> allocate(MEMORY, devices))))
                    .containsEntry("NVIDIA_VISIBLE_DEVICES", A);
        } finally {
            end.set(true);
            turns.join();
        }
    }

    /** Its image sees all cards, by NVIDIA's runtime. */
    @Test
    void aPodThatRequestsNothingClosesNoCard() throws Exception {
        plugin();
        pod("image", UID, "cpu", 1, "");
        computes("/kubepods/burstable/pod" + UID + "/" + "a".repeat(64));
        await().until(() -> metrics()
                .contains("gpushare_card_foreign_memory_used_bytes{card=\"" + A + "\",model=\"Tesla T4\"} "
                        + (double) (4L << 30)));
        api.delete("image");
        list();
        await().until(() -> log().contains("ended pod default/image still computes on card " + A));
        next("next");
        assertThat(allocate(CARDS, preferred(CARDS, 1))).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
    }

    /** It can't be told apart: it holds no card, and is reported where it is seen. */
    @Test
    void aProcessWithoutAPodHoldsNoCard() throws Exception {
        plugin();
        stuck();
        api.delete("stuck");
        list();
        for (String cgroup :
                List.of("/system.slice/sshd.service", "/kubepods/pod" + "0".repeat(32) + "/" + "b".repeat(64))) {
            computes(cgroup);
            next("next");
            assertThat(allocate(CARDS, preferred(CARDS, 1))).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
            api.delete("next");
            list();
        }
    }

    private StartedProgram plugin() throws Exception {
        StartedProgram plugin = run(METRICS, "--proc-dir=" + proc);
        await().until(() -> Files.exists(dir.resolve("device-plugins/gpushare-card.sock")));
        // The kubelet hears of each resource by itself.
        await().until(() ->
                kubelet.healthy(MEMORY).size() >= 15 && !kubelet.healthy(CARDS).isEmpty());
        return plugin;
    }

    /** Where the card of the annotation is not preferred, the kubelet takes another one's device. */
    private List<String> anyDevice() {
        return List.of(kubelet.healthy(CARDS).getFirst());
    }

    /** It has card A whole. */
    private void stuck() throws IOException {
        next("stuck");
        list("stuck");
        allocate(CARDS, preferred(CARDS, 1));
    }

    private void next(String name) throws IOException {
        pod(name, name.equals("stuck") ? UID : "uid-" + name, CARDS, 1, wholeCard(A));
    }

    private void pod(String name, String uid, String resource, int amount, String allocation) throws IOException {
        ObjectNode pod = (ObjectNode) JSON.readTree("""
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%s", "namespace": "default", "uid": "%s", "annotations": {},
                          "creationTimestamp": "2026-01-01T00:00:00Z"},
             "spec": {"nodeName": "n1", "containers": [
                 {"name": "main", "resources": {"limits": {"%s": "%d"}, "requests": {"%s": "%d"}}}]},
             "status": {"phase": "Pending"}}
            """.formatted(name, uid, resource, amount, resource, amount));
        pod.withObjectProperty("metadata").withObjectProperty("annotations").put("gpushare.io/allocation", allocation);
        api.put(pod);
        list(name);
    }

    private void computes(String cgroup) throws IOException {
        Files.writeString(
                Files.createDirectories(proc.resolve(String.valueOf(PID))).resolve("cgroup"), "0::" + cgroup + "\n");
        cards(CARD_A, CARD_B, "process pid=" + PID + " card=0 memory=4GiB utilisation=10");
    }
}
