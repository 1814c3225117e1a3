package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.simulated.program.StartedProgram;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole path from the driver to the container, and the faults that one node can have. */
class ProgramIT extends WholeProgram {
    @Test
    void fromTheDriverToTheContainerAndBackWhenThePodIsDeleted() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().until(() -> !api.patches().isEmpty());
        assertThat(api.patches().getLast()).contains("gpushare.io/inventory").contains(A);

        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(B, 3));
        list("p");
        // The card with memory on it is not offered whole.
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));

        List<String> ids = preferred(MEMORY, 3);
        assertThat(ids).containsExactlyInAnyOrder(B + "::0", B + "::1", B + "::2");
        assertThat(allocate(MEMORY, ids))
                .containsAllEntriesOf(Map.of(
                        "NVIDIA_VISIBLE_DEVICES", B,
                        "ALIYUN_COM_GPU_MEM_IDX", "1",
                        "ALIYUN_COM_GPU_MEM_POD", "3",
                        "ALIYUN_COM_GPU_MEM_CONTAINER", "3",
                        "ALIYUN_COM_GPU_MEM_DEV", "15",
                        "GPUSHARE_MEMORY_MIB", "3072"));

        list();
        api.delete("p");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A, B)));
    }

    @Test
    void aPodThatTheWatchHasNotReportedIsFoundByALiveList() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        api.muteWatches();
        api.pod("w", "Pending", Map.of(CARDS, "1"), wholeCard(B));
        list("w");

        assertThat(allocate(CARDS, List.of(A))).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", B));
        // The kubelet has allocated A for the container that has B: A's memory stays, B's goes, one card is left in the
        // count.
        await().until(() -> kubelet.healthy(MEMORY).stream().allMatch(id -> id.startsWith(A)));
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).hasSize(2));
    }

    @Test
    void aPodOfAnotherSchedulerIsAnnotatedAndAForgedAnnotationIsRepaired() throws Exception {
        cards(CARD_A, CARD_B);
        StartedProgram running = run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod("s", "Pending", Map.of(MEMORY, "3"), "");
        list("s");
        assertThat(allocate(MEMORY, preferred(MEMORY, 3))).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
        await().until(() -> api.podPatches().size() == 1);
        assertThat(api.podPatches().getFirst())
                .startsWith("s ")
                .contains("\"uid\":\"uid-s\"", "gpushare.io/allocation", A)
                .contains("\"ALIYUN_COM_GPU_MEM_ASSIGNED\":\"true\"");
        await().until(() -> api.events().size() == 1);
        assertThat(api.events().getFirst()).contains("GpuAllocationWritten");

        api.pod("s", "Running", Map.of(MEMORY, "3"), memoryOn(B, 3));
        await().until(() -> api.podPatches().size() == 2);
        assertThat(api.podPatches().getLast()).contains(A).doesNotContain(B);
        await().until(() -> api.events().size() == 2);
        assertThat(api.events().getLast()).contains("GpuAllocationMended");

        running.terminate();
        assertThat(running.exitCode()).isZero();
    }

    @Test
    void theNodeHasTheLabelsAndTheInventoryOfItsCards() throws Exception {
        cards(
                "card kind=A100-80 memory=80GiB numa=1 nvlink=1*4 uuid=" + A,
                "card kind=A100-80 memory=80GiB numa=0 uuid=" + B);
        run();
        await().until(() -> !api.labels().isEmpty());
        assertThat(api.patches().getLast()).contains("\\\"numa\\\":1", "\\\"links\\\":[\\\"NV4\\\"]");
        assertThat(api.labels().getLast())
                .contains(
                        "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\"", "\"nvidia.com/gpu.family\":\"ampere\"")
                .contains("\"gpushare.io/labels\":\"cuda.driver-version.full=");
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        assertThat(kubelet.devices(CARDS).orElseThrow())
                .extracting(device -> device.getTopology().getNodes(0).getID())
                .containsExactly(1L, 0L);
        assertThat(kubelet.devices(MEMORY).orElseThrow()).noneMatch(Device::hasTopology);
    }

    @Test
    void memoryOfTwoCardsIsPreferredAndAllocatedOnBoth() throws Exception {
        cards(CARD_A, CARD_B, "card kind=A100-80 memory=80GiB uuid=" + C);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 110);
        api.pod(
                "p",
                "Pending",
                Map.of(MEMORY, "4"),
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"%s\":2,\"%s\":2}}]}"
                        .formatted(A, C));
        list("p");

        List<String> ids = preferred(MEMORY, 4);
        assertThat(ids).containsExactlyInAnyOrder(A + "::0", A + "::1", C + "::0", C + "::1");
        assertThat(allocate(MEMORY, ids))
                .containsEntry("NVIDIA_VISIBLE_DEVICES", A + "," + C)
                .containsEntry("GPUSHARE_MEMORY_MIB", "2048")
                .doesNotContainKey("ALIYUN_COM_GPU_MEM_IDX");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));
    }

    @Test
    void aPodOfAnotherSchedulerGetsTheCardsThatItsAnnotationsSelect() throws Exception {
        cards("card kind=A100-80 memory=80GiB uuid=" + C, CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 110);
        api.annotated(
                "s",
                "Pending",
                Map.of(MEMORY, "6"),
                Map.of("gpushare.io/cards", "2", "gpushare.io/select", "model = T4"));
        list("s");

        assertThat(preferred(MEMORY, 6)).hasSize(6).noneMatch(id -> id.startsWith(C));
        // The kubelet ignores the preferred devices: the container gets two T4s.
        assertThat(allocate(MEMORY, List.of(C + "::0", C + "::1", C + "::2", C + "::3", C + "::4", C + "::5")))
                .containsEntry("NVIDIA_VISIBLE_DEVICES", A + "," + B)
                .containsEntry("GPUSHARE_MEMORY_MIB", "3072");
        await().until(() -> api.podPatches().size() == 1);
        assertThat(api.podPatches().getFirst())
                .contains(A + "\\\":3", B + "\\\":3")
                .doesNotContain("ALIYUN_COM_GPU_MEM_IDX");

        api.annotated("t", "Pending", Map.of(MEMORY, "1"), Map.of("gpushare.io/select", "model ~ T4"));
        list("s", "t");
        assertThatThrownBy(() -> allocate(MEMORY, List.of(C + "::7")))
                .hasMessageContaining("pod default/t: annotation gpushare.io/select: at character 7 ('~ T4'): after"
                        + " 'model' write");
    }

    @Tag("alone")
    @Test
    void anAllocateWithoutAWaitingPodIsRefusedInTime() throws Exception {
        cards(CARD_A);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);

        long before = System.nanoTime();
        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0")))
                .hasMessage("FAILED_PRECONDITION: no pod that the API server has on this node waits for 1 units of GPU"
                        + " memory");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void anXidWithdrawsTheCardForTheQuietTimeAndALossUntilItIsBack() throws Exception {
        cards(CARD_A, CARD_B);
        run("--health-quiet-time=8s");
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);

        cards(CARD_A + " xid=31#1", CARD_B + " xid=79#1");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).allMatch(id -> id.startsWith(A)));
        await().until(() -> api.patches().getLast().contains("Xid 79"));
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);

        cards(CARD_A + " lost", CARD_B);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));
        assertThat(kubelet.devices(MEMORY).orElseThrow()).hasSize(30);
        cards(CARD_A, CARD_B);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
    }

    @Test
    void anXidIsReportedOnThePodsOfItsCardAndAnApplicationErrorLeavesTheCardHealthy() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));
        list("p");
        allocate(MEMORY, preferred(MEMORY, 3));

        cards(CARD_A + " xid=94#1", CARD_B + " xid=94#1");
        await().until(() -> !api.events().isEmpty());
        assertThat(api.events().getFirst()).contains("GpuXid", "Xid 94", A, "\"name\":\"p\"");
        assertThat(api.events()).hasSize(1);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).hasSize(30));
    }

    @Test
    void aCordonedCardKeepsItsPodsAndOffersNothingMore() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));
        list("p");
        List<String> ids = preferred(MEMORY, 3);
        assertThat(allocate(MEMORY, ids)).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));
        int lists = kubelet.plugin(MEMORY).lists().size();

        api.cordon(A + ",nonsense");
        await().until(() -> kubelet.healthy(MEMORY).size() == 18);
        // One change is one message, and the container's own devices stay.
        assertThat(kubelet.plugin(MEMORY).lists()).hasSize(lists + 1);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).containsAll(ids));
        await().until(() -> api.patches().getLast().contains("\\\"cordoned\\\":true"));
        assertThat(log()).contains("'nonsense' is not the UUID of a card");

        api.cordon("");
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
    }

    @Test
    void withoutADriverNothingIsOfferedUntilItIsLoaded() throws Exception {
        run();
        await().until(() -> kubelet.devices(MEMORY).filter(List::isEmpty).isPresent());

        cards(CARD_A);

        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        assertThat(log()).containsOnlyOnce("until this is resolved: no cards to offer");
    }

    @Test
    void eightCardsOf141GiBRegisterInGiB() throws Exception {
        cards(Collections.nCopies(8, "card kind=H200-141").toArray(String[]::new));
        run();

        await().until(() -> kubelet.healthy(MEMORY).size() == 8 * 140);
    }

    @Test
    void aUnitThatDoesNotFitIsRefusedAndTheNamedSmallestUnitFits() throws Exception {
        cards(Collections.nCopies(8, "card kind=H200-141").toArray(String[]::new));
        StartedProgram tooSmall = run("--memory-unit=1MiB");
        assertThat(tooSmall.exitCode()).isEqualTo(2);
        String sentence = log().lines()
                .filter(line -> line.contains("--memory-unit=1MiB makes 1150168 devices"))
                .findFirst()
                .orElseThrow();
        assertThat(kubelet.registrations()).isEmpty();

        run(sentence.substring(sentence.lastIndexOf("--memory-unit=")));

        await().until(() -> kubelet.healthy(MEMORY).size() > 60_000);
    }

    @Test
    void aNewlineInAnAnnotationForgesNoLineOfTheLog() throws Exception {
        cards(CARD_A);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        String forged = "2026-01-01T00:00:00.000Z INFO  AllocationHandler: forged";
        api.pod(
                "p",
                "Pending",
                Map.of(MEMORY, "1"),
                memoryOn(A, 1)
                        .replace(
                                "\"memory\"",
                                "\"role\":\"x\\n" + forged + "\\u001b[31m" + "y".repeat(20_000) + "\",\"memory\""));
        list("p");

        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0")))
                .satisfies(refusal -> assertThat(refusal.getMessage())
                        .contains("'role' is init or sidecar, not 'x\\n2026")
                        .hasSizeLessThan(500));
        assertThat(log()).contains("'role' is init or sidecar").doesNotContain("\u001b", "yyy".repeat(30));
        assertThat(log().lines()).noneMatch(line -> line.startsWith(forged));
    }

    @Test
    void sigtermStopsItCleanly() throws Exception {
        cards(CARD_A);
        StartedProgram running = runProcess();
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);

        running.terminate();

        assertThat(running.exitCode()).isZero();
        assertThat(dir.resolve("device-plugins/gpushare-mem.sock")).doesNotExist();
        assertThat(dir.resolve("device-plugins/gpushare-card.sock")).doesNotExist();
    }

    @Test
    void invalidOptionsStopItWithASentence() throws Exception {
        StartedProgram refused = runProcess("--isolation=hami");

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(log()).contains("unknown value 'hami': use [none, driver, mps, hami-core, auto]");
    }
}
