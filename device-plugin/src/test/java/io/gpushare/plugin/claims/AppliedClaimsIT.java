package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.plugin.TestApiServer;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Containers start with claims, on a runtime that applies their files, and on one that does not. */
class AppliedClaimsIT extends WholeProgramWithClaims {
    private static final String WITHOUT = "gpushare_containers_without_claim 1.0";
    private static final String NOBODY_WITHOUT = "gpushare_containers_without_claim 0.0";

    private Path proc;

    @BeforeEach
    void proc() throws IOException {
        proc = Files.createDirectory(dir.resolve("proc"));
        cards(CARD_A, CARD_B);
    }

    @Test
    void aContainerWithoutWhatItsClaimGivesItIsReportedAndNoFurtherClaimIsPreparedWhileItRuns() throws Exception {
        plugin();
        prepared("first", A);
        runs("first", 101, "/proc");
        await().until(() -> metrics().contains(WITHOUT));
        await().until(() -> api.events().stream()
                .anyMatch(event -> event.contains("GpuClaimNotApplied")
                        && event.contains("\"kind\":\"Pod\",\"name\":\"first\"")
                        && event.contains("enable_cdi")));
        assertThat(api.events())
                .anyMatch(event -> event.contains("GpuClaimNotApplied") && event.contains("\"name\":\"n1\""));
        claim("second", result("gpu", B));
        assertThat(error("second")).contains("does not apply claims (pod default/first");

        // The runtime was restarted with CDI, and the pod recreated.
        api.delete("first");
        await().until(() -> metrics().contains(NOBODY_WITHOUT));
        prepare("second");
        runs("second", 102, "/run/gpushare/claims/uid-second_gpu");

        // From now on a program that hides its mounts closes nothing.
        assertThat(unprepare("first")).isEmpty();
        prepared("third", A);
        runs("third", 103, "/proc");
        await().until(() -> metrics().contains(WITHOUT));
        assertThat(unprepare("second")).isEmpty();
        claim("fourth", result("gpu", B));
        prepare("fourth");
    }

    /** Their claims may have been prepared by a version whose files have no mount. */
    @Test
    void whatRanBeforeThisProcessSaysNothing() throws Exception {
        StartedProgram before = plugin();
        prepared("first", A);
        kill(before);
        runs("first", 101, "/proc");
        plugin();
        await().until(() -> log().contains("claim default/first has"));
        prepared("second", B);
        runs("second", 102, "/proc");
        await().until(() -> metrics().contains(WITHOUT));
        assertThat(api.events())
                .noneMatch(event -> event.contains("GpuClaimNotApplied") && event.contains("default/first"));
    }

    private StartedProgram plugin() throws IOException {
        return serve("--proc-dir=" + proc);
    }

    private void prepared(String name, String card) {
        claim(name, result("gpu", card));
        prepare(name);
    }

    /** The pod of that claim runs one process, which sees that mount point. */
    private void runs(String name, int pid, String mountPoint) throws IOException {
        String container = TestApiServer.containerId(name);
        Path process = Files.createDirectory(proc.resolve(String.valueOf(pid)));
        Files.writeString(
                process.resolve("cgroup"),
                "0::/kubepods/pod00000000-0000-4000-8000-00000000000" + pid % 10 + "/" + container + "\n");
        Files.writeString(process.resolve("mountinfo"), "36 35 98:0 /x " + mountPoint + " ro - tmpfs tmpfs ro\n");
        api.put(object("""
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%s", "namespace": "default", "uid": "uid-pod-%s"},
             "spec": {"nodeName": "n1", "resourceClaims": [{"name": "gpu", "resourceClaimName": "%s"}],
                      "containers": [{"name": "main", "resources": {"claims": [{"name": "gpu"}]}}]},
             "status": {"phase": "Running",
                        "containerStatuses": [{"name": "main", "containerID": "containerd://%s"}]}}
            """.formatted(name, name, name, container)));
    }
}
