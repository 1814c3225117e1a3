package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.program.StartedProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node without cards says why: in its inventory, in an Event, in a metric, and by a plugin that is not ready. */
class NoCardsIT extends WholeProgram {
    private static final String NO_OPTION = "--health-quiet-time=1s";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "library_missing | --nvml-library=/nowhere/libnvidia-ml.so.1 | | No such file",
                "driver_not_loaded | | | Driver Not Loaded",
                "driver_version_mismatch | | driver fails=nvmlInit_v2:18 | version mismatch",
                "no_access | | driver fails=nvmlInit_v2:4 | Insufficient Permissions",
                "driver_error | | driver fails=nvmlDeviceGetCount_v2:999 | NVML code 999",
                "driver_error | | card kind=T4 error=999 | NVML code 999",
                "no_card_found | | driver version=580.1 | finds no card",
                "mig_enabled | | card kind=A100-40 mig=on | nvidia-smi -mig 0",
                "no_device_file | --device-list-strategy=device-specs |"
                        + " driver fails=nvmlDeviceGetMinorNumber:3;card kind=T4 | nvidia-modprobe"
            })
    void theReasonIsInTheInventoryTheEventTheMetricAndTheReadiness(
            String cause, String option, String machine, String words) throws Exception {
        if (machine != null) {
            cards(machine.split(";"));
        }
        run(METRICS, option == null ? NO_OPTION : option);
        await().until(() -> kubelet.devices(MEMORY).isPresent()
                && api.patches().stream().anyMatch(patch -> patch.contains("noCards")));
        assertThat(api.patches().getLast()).contains("{\\\"reason\\\":\\\"" + cause + "\\\"");
        await().until(() -> !api.events().isEmpty());
        assertThat(api.events().getFirst()).contains("GpuNoCards", "\"kind\":\"Node\"", words);
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        assertThat(get("/readyz").body()).contains("no cards to offer", words);
        assertThat(metrics().lines()).contains("gpushare_plugin_no_cards{reason=\"" + cause + "\"} 1.0");
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).isEmpty());
    }

    @Test
    void aPluginIsReadyOnceItOffersCardsAndNotWhenTheDriverIsUnloaded() throws Exception {
        run(METRICS);
        await().until(() -> kubelet.devices(MEMORY).filter(List::isEmpty).isPresent());
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        cards(CARD_A);
        await().until(() -> get("/readyz").statusCode() == 200);
        await().until(() -> !api.patches().getLast().contains("noCards"));
        assertThat(metrics()).contains("gpushare_plugin_no_cards{reason=\"driver_not_loaded\"} 0.0");

        Files.delete(dir.resolve("cards"));
        await().until(() -> get("/readyz").statusCode() == 503);
        // The lost card stays in the inventory.
        await().until(() -> api.patches().getLast().contains("driver_not_loaded"));
        assertThat(api.patches().getLast()).contains(A);
    }

    @Test
    void oneCardWithMigIsUnhealthyAndTheOthersAreOffered() throws Exception {
        cards("card kind=A100-40 mig=on uuid=" + B, CARD_A);
        run(METRICS);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        await().until(() -> get("/readyz").statusCode() == 200);
        await().until(() -> api.patches().getLast().contains("MIG is enabled"));
        assertThat(api.patches().getLast()).doesNotContain("noCards");
        assertThat(api.events()).isEmpty();
    }

    @Test
    void aNodeWhoseCardsAreAllUnhealthyHasAReasonForEachCardAndStaysReady() throws Exception {
        cards(CARD_A, CARD_B);
        run(METRICS, "--health-quiet-time=300s");
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        cards(CARD_A + " xid=79#1", CARD_B + " xid=79#1");
        await().until(() -> kubelet.healthy(CARDS).isEmpty());
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        assertThat(api.patches().getLast()).contains("Xid 79").doesNotContain("noCards");
    }

    @Test
    void aCardOfWhichTheDriverReportsNoMemoryCanBeTakenWholeUntilAnOptionNamesIt() throws Exception {
        String silent = CARD_A + " fails=nvmlDeviceGetMemoryInfo_v2:3,nvmlDeviceGetMemoryInfo:3,nvmlDeviceGetName:3";
        cards(silent, CARD_B);
        StartedProgram first = run(METRICS);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).allMatch(id -> id.startsWith(B)));
        await().until(() -> api.patches().stream().anyMatch(patch -> patch.contains("--card-memory=")));
        assertThat(api.patches().getLast()).contains("memoryClosed").doesNotContain("noCards");
        api.awaitEvent("GpuMemoryUnknown");
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        assertThat(metrics().lines())
                .noneMatch(line -> line.startsWith("gpushare_card_memory_capacity_bytes{card=\"" + A));
        api.pod("p", "Pending", Map.of(CARDS, "1"), "");
        list("p");
        assertThat(allocate(CARDS, List.of(A))).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
        first.terminate();
        assertThat(first.exitCode()).isZero();

        run("--card-memory=unknown=15GiB");
        await().until(() -> kubelet.devices(MEMORY).stream()
                .flatMap(List::stream)
                .anyMatch(device -> device.getID().startsWith(A)));
    }

    @Test
    void whileClaimsHaveTheNodesCardsTheDevicePluginOffersNone() throws Exception {
        cards(CARD_A);
        Path claim = dir.resolve("cdi/gpushare.io-claim_uid-c1.json");
        Files.createDirectories(claim.getParent());
        Files.writeString(claim, "{}");
        run(METRICS, "--cdi-dir=" + claim.getParent());
        await().until(() -> kubelet.devices(CARDS).isPresent()
                && api.patches().stream().anyMatch(patch -> patch.contains("{\\\"reason\\\":\\\"other_way\\\"")));
        assertThat(kubelet.healthy(CARDS)).isEmpty();
        assertThat(kubelet.healthy(MEMORY)).isEmpty();
        assertThat(get("/readyz").body()).contains("claim_uid-c1", "when these pods have ended");
        api.awaitEvent("claim_uid-c1");

        Files.delete(claim);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        await().until(() -> get("/readyz").statusCode() == 200);
    }

    @Test
    void anAmountThatTheDriverContradictsIsRefused() throws Exception {
        cards(CARD_A);
        StartedProgram program = run("--card-memory=Tesla T4=16GiB");
        assertThat(program.exitCode()).isEqualTo(2);
        assertThat(log()).contains("--card-memory names 16384MiB for Tesla T4, but the driver reports 15360MiB");
    }
}
