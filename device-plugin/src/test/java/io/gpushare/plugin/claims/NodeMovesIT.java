package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.simulated.apiserver.FaultRule;
import io.gpushare.simulated.apiserver.Outcome;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.kubelet.devices.CheckpointFile;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that moves between both ways to offer its cards while pods run, and processes that run at once. */
class NodeMovesIT extends WholeProgramWithClaims {
    private static final String CORES = "aliyun.com/gpu-core.percentage";

    @BeforeEach
    void cards() throws IOException {
        cards(CARD_A, CARD_B);
    }

    private StartedProgram offerResources() throws IOException {
        return run("--cdi-dir=" + cdi(), METRICS);
    }

    private static void end(StartedProgram program) throws Exception {
        program.terminate();
        assertThat(program.exitCode()).isZero();
    }

    /** The kubelet records that the pod's container has that card. */
    private void record(String pod, String card) throws IOException {
        kubelet.checkpoint(new CheckpointFile.Entry(
                "uid-" + pod,
                "main",
                MEMORY,
                Set.of(card + "::0", card + "::1", card + "::2"),
                ContainerAllocateResponse.newBuilder()
                        .putEnvs("NVIDIA_VISIBLE_DEVICES", card)
                        .build()));
    }

    @Test
    void toClaimsEachCardIsOfferedOnceNoPodHasItByTheDevicePlugin() throws Exception {
        // Its owner wrote another card into the annotation.
        api.pod("running", "Running", Map.of(MEMORY, "3"), memoryOn(B, 3));
        api.pod("annotated", "Running", Map.of(), memoryOn(B, 3));
        api.pod("ended", "Succeeded", Map.of(MEMORY, "3"), memoryOn(B, 3));
        record("running", A);
        serve();
        assertThat(names(slice())).containsExactly(name(B));
        await().until(() -> get("/readyz").statusCode() == 200);
        api.awaitEvent("GpuCardsHeld", "default/running");
        claim("on-a", result("gpu", A, "3Gi", "s1"));
        claim("on-b", result("gpu", B, "3Gi", "s2"));
        assertThat(error("on-a"))
                .isEqualTo(
                        "claim default/on-a: its cards are in use (pod default/running): it starts when that ends, or"
                                + " recreate it");
        prepare("on-b");

        api.delete("running");
        await().until(() -> names(slice()).equals(List.of(name(B), name(A))));
        prepare("on-a");
    }

    @Test
    void aPodWhoseCardsAreUnknownHoldsAllOfThemAndClaimsBeforeItKeepTheirs() throws Exception {
        StartedProgram first = serve();
        slice();
        claim("before", result("gpu", B, "3Gi", "s1"));
        prepare("before");
        kill(first);
        api.pod("admitted", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));
        serve();
        await().until(() -> api.all(ApiResource.RESOURCE_SLICES).isEmpty());
        assertThat(get("/readyz").body()).contains("by the way in which it offered them before (pod default/admitted)");
        claim("new", result("gpu", B, "3Gi", "s2"));
        assertThat(error("new")).contains("its cards are in use (pod default/admitted)");
        prepare("before");

        record("admitted", A);
        await().until(() -> api.all(ApiResource.RESOURCE_SLICES).stream()
                .anyMatch(slice -> names(slice).equals(List.of(name(B)))));
        prepare("new");
        assertThat(unprepare("before")).isEmpty();
    }

    /** A pod runs whose request of a card has become a claim, because a class maps its resource. */
    private void ofItsClass() throws IOException {
        claim("class", result("container-0-request-0", B));
        prepare("class");
        api.put(object("""
            {"kind": "Pod",
             "metadata": {"name": "class", "namespace": "default", "uid": "uid-pod-class",
                          "creationTimestamp": "2026-01-01T00:00:00Z"},
             "spec": {"nodeName": "n1", "containers": [
               {"name": "main", "resources": {"limits": {"%1$s": "1"}, "requests": {"%1$s": "1"}}}]},
             "status": {"phase": "Running",
               "containerStatuses": [{"name": "main", "containerID": "containerd://c1"}],
               "extendedResourceClaimStatus": {"resourceClaimName": "class", "requestMappings": [
                 {"containerName": "main", "resourceName": "%1$s", "requestName": "container-0-request-0"}]}}}
            """.formatted(CARDS)));
    }

    /** Each of them closed the node after a restart of the driver, until it ended. */
    @Test
    void afterARestartNothingIsHeldForPodsThatHaveNoDeviceByTheDevicePlugin() throws Exception {
        StartedProgram first = serve("--core-resource=" + CORES);
        slice();
        ofItsClass();
        api.pod("zero", "Running", Map.of(CORES, "0"), "");
        // By nodeName, where the kubelet does not know the name.
        api.pod("named", "Running", Map.of(MEMORY, "1"), memoryOn(A, 1));
        kill(first);

        serve("--core-resource=" + CORES);
        await().until(() -> get("/readyz").statusCode() == 200);
        assertThat(names(slice())).containsExactlyInAnyOrder(name(A), name(B));
        assertThat(api.events()).noneMatch(event -> event.contains("GpuCardsHeld"));
        prepare("class");
        claim("next", result("gpu", A, "3Gi", "s1"));
        prepare("next");
    }

    /** Its request is the claim's: it waits for no device, and has no other card. */
    @Test
    void backToResourcesAPodWhoseRequestBecameAClaimCountsOnce() throws Exception {
        StartedProgram claims = serve();
        slice();
        ofItsClass();
        end(claims);
        offerResources();
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        api.pod("next", "Pending", Map.of(CARDS, "1"), "");
        list("class", "next");
        assertThat(allocate(CARDS, List.of(A))).containsEntry("NVIDIA_VISIBLE_DEVICES", A);
        await().until(() -> api.podPatches().stream().anyMatch(patch -> patch.startsWith("next ")));
        assertThat(api.podPatches()).noneMatch(patch -> patch.startsWith("class "));
    }

    @Test
    void backToResourcesEachCardIsOfferedOnceNoClaimHasItAndClaimsCanEnd() throws Exception {
        StartedProgram claims = serve();
        slice();
        claim("running", result("gpu", B, "3Gi", "s1"));
        claim("allocated", result("gpu", A, "3Gi", "s2"));
        prepare("running");
        end(claims);
        assertThat(names(slice())).as("a restart keeps the slices").hasSize(2);

        offerResources();
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        assertThat(kubelet.healthy(MEMORY)).hasSize(15).allMatch(id -> id.startsWith(A));
        assertThat(api.all(ApiResource.RESOURCE_SLICES)).isEmpty();
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        api.awaitEvent("GpuCardsHeld", "claim default/running");
        assertThat(error("allocated"))
                .isEqualTo("claim default/allocated: its node offers its cards by the device plugin now: recreate the"
                        + " pod");
        prepare("running");
        api.pod("forged", "Pending", Map.of(MEMORY, "3"), memoryOn(B, 3));
        list("forged");
        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0", A + "::1", A + "::2")))
                .hasMessageContaining("card " + B);

        assertThat(unprepare("running")).isEmpty();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        assertThat(unprepare("allocated")).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void theDriverIsRegisteredOnNodesThatServedClaimsAtSomeTimeAndOnNoOther() throws Exception {
        // Kubernetes makes it where the chart mounts it.
        Files.createDirectories(dir.resolve("plugins/gpushare.io"));
        StartedProgram resources = offerResources();
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        await().until(() -> get("/readyz").statusCode() == 200);
        assertThat(registration()).doesNotExist();
        end(resources);

        end(serveOnce());
        Files.deleteIfExists(registration());
        resources = offerResources();
        await().until(() -> Files.exists(registration()));
        end(resources);
        Files.deleteIfExists(registration());
        // Neither a slice nor a file is left, and the kubelet may know a claim that was never prepared.
        offerResources();
        await().until(() -> Files.exists(registration()));
        assertThat(unprepare("allocated")).isEmpty();
    }

    @Test
    void whileTheSlicesAreThereTheDevicePluginOffersNothing() throws Exception {
        end(serveOnce());
        FaultRule deletions = api.sliceDeletions();
        deletions.always(Outcome.refused(403, "Forbidden", "resourceslices is forbidden"));
        offerResources();
        await().until(() -> kubelet.registrations().size() == 2);
        assertThat(kubelet.healthy(CARDS)).isEmpty();
        assertThat(get("/readyz").body()).contains("this node's ResourceSlices can't be deleted");

        deletions.always(Outcome.Plain.SERVED);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        assertThat(api.all(ApiResource.RESOURCE_SLICES)).isEmpty();
    }

    private StartedProgram serveOnce() throws IOException {
        StartedProgram claims = serve();
        slice();
        return claims;
    }

    @Test
    void aFileOfWhichNobodyKnowsTheCardsHoldsAllOfThem() throws Exception {
        end(serveOnce());
        Path torn = Files.writeString(Files.createDirectories(cdi()).resolve("gpushare.io-claim_uid-torn.json"), "{");
        offerResources();
        await().until(() -> kubelet.registrations().size() == 2);
        assertThat(get("/readyz").body()).contains("(file " + torn + ")");
        assertThat(kubelet.healthy(CARDS)).isEmpty();
        Files.delete(torn);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
    }

    /** It was found when such a directory ended the plugin, as one with invalid options. */
    @Test
    void whileTheFilesCantBeListedAllCardsAreHeldAndTheNodeSaysSo() throws Exception {
        StartedProgram claims = serve();
        slice();
        claim("running", result("gpu", B, "3Gi", "s1"));
        prepare("running");
        end(claims);
        Files.deleteIfExists(registration());
        Path aside = Files.move(cdi(), dir.resolve("aside"));
        Files.createFile(cdi());

        StartedProgram resources = offerResources();
        await().until(() -> kubelet.registrations().size() == 2);
        await().untilAsserted(() -> assertThat(get("/readyz").body())
                .contains("which cards claims have is unknown, because " + cdi() + " can't be listed"));
        assertThat(kubelet.healthy(CARDS)).isEmpty();
        assertThat(kubelet.healthy(MEMORY)).isEmpty();
        api.awaitEvent("GpuCardsHeld", "can't be listed");
        assertThat(log()).contains("calls for claims are not served yet, retrying: ");
        assertThat(resources.isAlive()).isTrue();

        Files.delete(cdi());
        Files.move(aside, cdi());
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        await().until(() -> Files.exists(registration()));
        prepare("running");
        assertThat(unprepare("running")).isEmpty();
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
    }

    /** As an API server does that carries out a request of a process that was killed. */
    @Test
    void aSliceThatIsWrittenAfterTheMoveIsDeletedAndItsClaimsAreRefused() throws Exception {
        StartedProgram claims = serve();
        ObjectNode slice = slice().deepCopy();
        end(claims);
        offerResources();
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        assertThat(api.all(ApiResource.RESOURCE_SLICES)).isEmpty();

        api.put(slice);
        claim("allocated", result("gpu", A, "3Gi", "s1"));
        await().until(() -> Files.exists(registration()));
        assertThat(error("allocated")).contains("its node offers its cards by the device plugin now");
        await().until(() -> api.all(ApiResource.RESOURCE_SLICES).isEmpty());
        assertThat(kubelet.healthy(CARDS)).hasSize(2);
    }

    @Test
    void ofTwoProcessesOneOffersAndTheOtherNamesItAndFollows() throws Exception {
        StartedProgram claims = runProcess(claimOptions());
        await().until(() -> Files.exists(registration()));
        register();
        slice();
        StartedProgram resources = runProcess("--cdi-dir=" + cdi(), METRICS);
        try {
            await().untilAsserted(() -> assertThat(log())
                    .contains("another process offers the cards of this node (dra of pod ")
                    .contains("process " + claims.pid() + "): waiting for its end"));
            claim("meanwhile", result("gpu", A, "3Gi", "s1"));
            prepare("meanwhile");
            assertThat(kubelet.registrations()).isEmpty();

            claims.kill();
            await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));
        } finally {
            claims.kill();
            resources.kill();
        }
    }

    @Test
    void aSocketThatIsRemovedOrReplacedIsServedAgain() throws Exception {
        serve();
        slice();
        claim("share", result("gpu", A, "3Gi", "s1"));
        for (Path socket : List.of(registration(), dir.resolve("plugins/gpushare.io/dra.sock"))) {
            Files.delete(socket);
            await().until(() -> Files.exists(registration()) && Files.exists(socket));
            await().untilAsserted(
                            () -> assertThat(get("/readyz").body()).contains("has not registered the driver yet"));
            register();
            await().until(() -> get("/readyz").statusCode() == 200);
            prepare("share");
        }
        assertThat(log()).contains("was removed or replaced: it is served again");
    }
}
