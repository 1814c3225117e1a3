package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.dra.v1.Claim;
import io.gpushare.api.dra.v1.DRAPluginGrpc;
import io.gpushare.api.dra.v1.NodePrepareResourcesRequest;
import io.gpushare.plugin.TestApiServer;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Containers start with claims, on a runtime that applies their files, and on one that does not. */
class AppliedClaimsIT extends WholeProgramWithClaims {
    private static final String CARD_C = "card kind=T4 memory=15GiB uuid=" + C;

    private Path proc;

    @BeforeEach
    void proc() throws IOException {
        proc = Files.createDirectory(dir.resolve("proc"));
        cards(CARD_A, CARD_B, CARD_C);
    }

    @Test
    void aContainerWithoutItsClaimIsReportedAndThoseOfTwoTenantsCloseTheNodeUntilOneHasItsOwn() throws Exception {
        runtime(50);
        plugin();
        prepare("default", "first", A);
        runs("default", "first", 101, "");
        await().until(() -> without(1));
        api.awaitEvent("GpuClaimNotApplied", "\"kind\":\"Pod\",\"name\":\"first\"", "enable_cdi");
        api.awaitEvent("GpuClaimNotApplied", "\"name\":\"n1\"");

        // One tenant may hide the mounts of its programs.
        prepare("team", "second", B);
        runs("team", "second", 102, "");
        await().until(() -> without(2));
        assertThat(prepared("default", "third", C)).contains("does not apply claims (pod ");

        // The runtime was restarted with CDI, and a pod recreated.
        ends("team", "second", 102);
        await().until(() -> without(1));
        prepare("default", "third", C);
        runs("default", "third", 103, "/.gpushare/uid-third_gpu");
        assertThat(unprepare("second")).isEmpty();
        prepare("team", "fourth", B);
        runs("team", "fourth", 104, "");
        await().until(() -> without(2));
        ends("default", "third", 103);
        prepare("default", "fifth", C);

        // It was restarted without CDI. Whoever calls its own program containerd restarts nothing.
        runs("default", "fifth", 105, "");
        Files.writeString(proc.resolve("105/comm"), "containerd\n");
        await().until(() -> without(3));
        ends("default", "fifth", 105);
        await().until(() -> without(2));
        prepare("default", "sixth", C);
        Files.delete(proc.resolve("50/comm"));
        runtime(51);
        runs("default", "sixth", 106, "");
        await().until(() -> without(3));
        ends("team", "fourth", 104);
        await().until(() -> without(2));
        // One of before the restart says nothing of the runtime.
        prepare("team", "seventh", B);
        runs("team", "seventh", 107, "");
        await().until(() -> without(3));
        ends("default", "first", 101);
        assertThat(prepared("default", "eighth", A)).contains("does not apply claims (pod ");
    }

    /** Their claims may have been prepared by a version whose files have no mount. */
    @Test
    void whatRanBeforeThisProcessIsNoEvidenceAgainstTheRuntime() throws Exception {
        StartedProgram before = plugin();
        prepare("default", "first", A);
        kill(before);
        runs("default", "first", 101, "");
        plugin();
        await().until(() -> log().contains("claim default/first has"));
        prepare("default", "second", B);
        runs("default", "second", 102, "");
        await().until(() -> without(1));
        assertThat(api.events())
                .noneMatch(event -> event.contains("GpuClaimNotApplied") && event.contains("default/first"));
    }

    private StartedProgram plugin() throws IOException {
        return serve("--proc-dir=" + proc);
    }

    private void runtime(int pid) throws IOException {
        Path process = Files.createDirectory(proc.resolve(String.valueOf(pid)));
        Files.writeString(process.resolve("cgroup"), "0::/system.slice/containerd.service\n");
        Files.writeString(process.resolve("comm"), "containerd\n");
    }

    private boolean without(int containers) throws IOException, InterruptedException {
        return metrics().contains("gpushare_containers_without_claim " + containers + ".0");
    }

    /** The kubelet repeats the call while the plugin does not know yet that the card's last pod is gone. */
    private void prepare(String namespace, String name, String card) {
        await().untilAsserted(() -> assertThat(prepared(namespace, name, card)).isEmpty());
    }

    /** Prepares a claim on that whole card; returns why it is refused. */
    private String prepared(String namespace, String name, String card) {
        ObjectNode claim = document(name, "uid-" + name, result("gpu", card));
        claim.withObjectProperty("metadata").put("namespace", namespace);
        api.put(claim);
        return DRAPluginGrpc.newBlockingStub(service())
                .withWaitForReady()
                .nodePrepareResources(NodePrepareResourcesRequest.newBuilder()
                        .addClaims(Claim.newBuilder()
                                .setNamespace(namespace)
                                .setName(name)
                                .setUid("uid-" + name))
                        .build())
                .getClaimsOrThrow("uid-" + name)
                .getError();
    }

    /** The kubelet unprepares a claim when the containers have ended that use it. */
    private void ends(String namespace, String name, int pid) throws IOException {
        Files.delete(proc.resolve(pid + "/cgroup"));
        api.remove(ApiResource.PODS, namespace, name);
        assertThat(unprepare(name)).isEmpty();
    }

    /** The pod of that claim runs one process, which sees that mount point, if there is one. */
    private void runs(String namespace, String name, int pid, String mountPoint) throws IOException {
        String container = TestApiServer.containerId(name);
        Path process = Files.createDirectory(proc.resolve(String.valueOf(pid)));
        String pod = "pod00000000-0000-4000-8000-000000000" + pid;
        Files.writeString(process.resolve("cgroup"), "0::/kubepods/" + pod + "/" + container + "\n");
        String mount = "36 35 98:0 / %s rw - tmpfs tmpfs rw\n";
        Files.writeString(
                process.resolve("mountinfo"),
                mount.formatted("/proc") + (mountPoint.isEmpty() ? "" : mount.formatted(mountPoint)));
        api.put(object("""
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%s", "namespace": "%s", "uid": "uid-pod-%s"},
             "spec": {"nodeName": "n1", "resourceClaims": [{"name": "gpu", "resourceClaimName": "%s"}],
                      "containers": [{"name": "main", "resources": {"claims": [{"name": "gpu"}]}}]},
             "status": {"phase": "Running",
                        "containerStatuses": [{"name": "main", "containerID": "containerd://%s"}]}}
            """.formatted(name, namespace, name, name, container)));
    }
}
