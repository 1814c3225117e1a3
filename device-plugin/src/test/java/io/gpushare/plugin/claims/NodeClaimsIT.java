package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.dra.v1.Device;
import io.gpushare.api.dra.v1.NodePrepareResourceResponse;
import io.gpushare.api.drahealth.v1alpha1.DRAResourceHealthGrpc;
import io.gpushare.api.drahealth.v1alpha1.DeviceHealth;
import io.gpushare.api.drahealth.v1alpha1.HealthStatus;
import io.gpushare.api.drahealth.v1alpha1.NodeWatchResourcesRequest;
import io.gpushare.api.pluginregistration.v1.InfoRequest;
import io.gpushare.api.pluginregistration.v1.PluginInfo;
import io.gpushare.api.pluginregistration.v1.RegistrationGrpc;
import io.gpushare.api.pluginregistration.v1.RegistrationStatus;
import io.gpushare.simulated.apiserver.FaultRule;
import io.gpushare.simulated.apiserver.Outcome;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole program as a driver of Dynamic Resource Allocation, called as the kubelet calls it. */
class NodeClaimsIT extends WholeProgramWithClaims {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ADVICE = ", and the variables of one replace those of the other: let each container,"
            + " also each init container, use one request. Only whole cards add up, on nodes where containers get them"
            + " by name (CDI)";

    @BeforeEach
    void cards() throws IOException {
        cards(CARD_A, CARD_B);
    }

    @Test
    void theKubeletRegistersTheDriverAndTheCardsArePublished() throws Exception {
        listen();
        var registry = RegistrationGrpc.newBlockingStub(channel(registration()));
        PluginInfo info = registry.getInfo(InfoRequest.getDefaultInstance());
        assertThat(info.getType()).isEqualTo("DRAPlugin");
        assertThat(info.getName()).isEqualTo("gpushare.io");
        assertThat(info.getEndpoint())
                .isEqualTo(dir.resolve("plugins/gpushare.io/dra.sock").toString());
        assertThat(info.getSupportedVersionsList()).containsExactly("v1.DRAPlugin", "v1alpha1.DRAResourceHealth");
        assertThat(get("/readyz").body()).contains("has not registered the driver yet");
        await().until(() -> api.patches().stream().anyMatch(each -> each.contains("serves_claims")));
        assertThat(api.all(ApiResource.RESOURCE_SLICES)).isEmpty();

        registry.notifyRegistrationStatus(
                RegistrationStatus.newBuilder().setPluginRegistered(true).build());
        await().until(() -> get("/readyz").statusCode() == 200);
        JsonNode slice = slice();
        assertThat(slice.at("/metadata/ownerReferences/0/uid").asText()).isEqualTo("uid-n1");
        assertThat(slice.at("/spec/pool/name").asText()).isEqualTo("n1");
        assertThat(names(slice)).containsExactly(name(A), name(B));
        // Neither the kubelet's device plugin API nor the extender offers them.
        assertThat(kubelet.registrations()).isEmpty();
    }

    /** A claim of a card and a network card of one root found nothing: no card said where it is attached. */
    @Test
    void aCardHasTheAttributesByWhichDevicesOfSeveralDriversAreAligned() throws Exception {
        Path devices = Files.createDirectories(dir.resolve("sys/bus/pci/devices"));
        Files.createSymbolicLink(
                devices.resolve("0000:10:00.0"), Path.of("../../../devices/pci0000:0f/0000:0f:01.0/0000:10:00.0"));
        serve("--sys-dir=" + dir.resolve("sys"));
        JsonNode attributes = slice().at("/spec/devices/0/attributes");
        String standard = "resource.kubernetes.io/";
        assertThat(attributes.path(standard + "pcieRoot").path("string").asText())
                .isEqualTo("pci0000:0f");
        assertThat(attributes.path(standard + "pciBusID").path("string").asText())
                .isEqualTo("0000:10:00.0");
        assertThat(attributes.path(standard + "numaNode"))
                .isEqualTo(attributes.path("numaNode"))
                .isNotEmpty();
        JsonNode other = slice().at("/spec/devices/1/attributes");
        assertThat(other.path(standard + "pciBusID").path("string").asText()).isEqualTo("0000:11:00.0");
        assertThat(other.has(standard + "pcieRoot")).isFalse();
    }

    /** The card of this node that it names waits for pods that nobody can see here. */
    @Test
    void aSliceOfAnotherNodeInThisNodesPoolIsReported() throws Exception {
        api.put(object("""
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "n2-gpushare.io-00"},
             "spec": {"driver": "gpushare.io", "nodeName": "n2",
                      "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
                      "devices": [{"name": "%s"}]}}
            """.formatted(name(A))));
        serve();
        api.awaitEvent("GpuPoolNotOwn", "n2-gpushare.io-00 of node n2");
    }

    @Test
    void aKubeletThatStartsDeletesTheSlicesAndGetsThemAgain() throws Exception {
        serve();
        slice();
        String slice = api.all(ApiResource.RESOURCE_SLICES)
                .getFirst()
                .at("/metadata/name")
                .asText();
        api.remove(ApiResource.RESOURCE_SLICES, "", slice);
        register();
        slice();
    }

    @Test
    void anUnhealthyCardIsTaintedAndReportedAndNoCardIsNoSlice() throws Exception {
        serve();
        slice();
        var health = DRAResourceHealthGrpc.newBlockingStub(service())
                .nodeWatchResources(NodeWatchResourcesRequest.getDefaultInstance());
        assertThat(health.next().getDevicesList())
                .extracting(DeviceHealth::getHealth)
                .containsOnly(HealthStatus.HEALTHY);
        cards(CARD_A + " xid=79#1", CARD_B);
        await().until(() -> slice().at("/spec/devices/0/taints/0/key").asText().equals("gpushare.io/unhealthy"));
        await().until(() -> health.next().getDevices(0).getHealth() == HealthStatus.UNHEALTHY);
    }

    @Test
    void aShareAndAWholeCardGetTheirVariablesAndNothingIsLeftAfterwards() throws Exception {
        serve();
        slice();
        claim("share", result("gpu", B, "3Gi", "s1"));
        claim("whole", result("gpu", A, "15Gi", "s2"));

        Device share = prepare("share").getDevices(0);
        assertThat(share.getPoolName()).isEqualTo("n1");
        assertThat(share.getDeviceName()).isEqualTo(name(B));
        assertThat(share.getShareId()).isEqualTo("s1");
        assertThat(share.getRequestNamesList()).containsExactly("gpu");
        assertThat(share.getCdiDeviceIdsList()).containsExactly("gpushare.io/claim=uid-share_gpu");
        assertThat(environment("share"))
                .contains(
                        "NVIDIA_VISIBLE_DEVICES=" + B,
                        "ALIYUN_COM_GPU_MEM_CONTAINER=3",
                        "GPUSHARE_MEMORY_MIB=3072",
                        "CUPY_GPU_MEMORY_LIMIT=2678063104");
        prepare("whole");
        assertThat(environment("whole")).containsExactly("NVIDIA_VISIBLE_DEVICES=" + A);
        assertThat(prepare("share").getDevices(0)).as("a repeated call").isEqualTo(share);
        // The fullest card is first, and the whole one is full.
        await().until(() -> names(slice()).equals(List.of(name(A), name(B))));

        assertThat(unprepare("share")).isEmpty();
        assertThat(unprepare("whole")).isEmpty();
        assertThat(unprepare("never-prepared")).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void aCardThatWasGivenTwiceIsRefusedWithItsHolderAlsoByTheNextProcess() throws Exception {
        StartedProgram first = serve();
        slice();
        claim("first", result("gpu", A, "10Gi", "s1"));
        claim("second", result("gpu", A, "6Gi", "s2"));
        prepare("first");
        assertThat(error("second"))
                .isEqualTo("claim default/second: card " + A + " was given twice: it is held by claim default/first."
                        + " The pod starts when they end, or recreate it");
        assertThat(metrics()).contains("gpushare_plugin_claims_refused_total 1.0");

        kill(first);
        serve();
        await().until(() -> error("second").contains("held by claim default/first"));
        assertThat(files()).hasSize(1);
        unprepare("first");
        prepare("second");
        assertThat(environment("second")).contains("GPUSHARE_MEMORY_MIB=6144");
    }

    /** A reboot empties the directory of the files, and the kubelet prepares the claims of its pods again. */
    @Test
    void aClaimWhoseFileVanishedIsPreparedAgainAsItWas() throws Exception {
        StartedProgram first = serve();
        slice();
        claim("share", result("gpu", A, "3Gi", "s1"));
        claim("whole", result("gpu", B, "15Gi", "s2"));
        Device share = prepare("share").getDevices(0);
        Device whole = prepare("whole").getDevices(0);
        List<String> environment = environment("share");

        empty();
        assertThat(prepare("share").getDevices(0)).as("under a running driver").isEqualTo(share);
        assertThat(environment("share")).isEqualTo(environment);

        kill(first);
        empty();
        serve();
        await().untilAsserted(() -> assertThat(error("whole")).isEmpty());
        assertThat(prepare("whole").getDevices(0)).isEqualTo(whole);
        assertThat(prepare("share").getDevices(0)).isEqualTo(share);
        assertThat(environment("share")).isEqualTo(environment);
        assertThat(unprepare("share")).isEmpty();
        assertThat(unprepare("whole")).isEmpty();
        assertThat(files()).isEmpty();
    }

    private void empty() throws IOException {
        for (String file : files()) {
            Files.delete(cdi().resolve(file));
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void theFilesOfClaimsThatAreGoneAreRemovedAtTheStart() throws Exception {
        StartedProgram first = serve();
        slice();
        claim("gone", result("gpu", A, "3Gi", "s1"));
        claim("recreated", result("gpu", A, "3Gi", "s2"));
        claim("kept", result("gpu", A, "3Gi", "s3"));
        claim("elsewhere", result("gpu", A, "1Gi", "s4"));
        claim("deallocated", result("gpu", A, "1Gi", "s5"));
        prepare("gone");
        prepare("recreated");
        prepare("kept");
        prepare("elsewhere");
        prepare("deallocated");
        kill(first);
        api.remove(ApiResource.RESOURCE_CLAIMS, "default", "gone");
        claim("recreated", "uid-another", result("gpu", A, "3Gi", "s2"));
        claim("elsewhere", result("gpu", A, "1Gi", "s4").put("pool", "n2"));
        claim("deallocated");
        Files.writeString(cdi().resolve("gpushare.io-claim_uid-torn.next"), "{");
        serve();
        await().untilAsserted(() -> assertThat(files()).containsExactly("gpushare.io-claim_uid-kept.json"));
    }

    /** It kept its card until the next restart: nobody tells a driver a second time that a claim is gone. */
    @Test
    void aClaimThatIsGoneIsRemovedAsSoonAsTheApiServerSaysSo() throws Exception {
        StartedProgram first = serve();
        slice();
        claim("gone", result("gpu", A));
        prepare("gone");
        kill(first);
        api.remove(ApiResource.RESOURCE_CLAIMS, "default", "gone");
        FaultRule reads = api.claimReads();
        reads.always(Outcome.refused(503, "ServiceUnavailable", "etcd is slow"));
        serve();
        await().untilAsserted(() -> assertThat(log()).contains("claim default/gone can't be read, and counts as"));
        assertThat(files()).hasSize(1);

        reads.always(Outcome.Plain.SERVED);
        await().untilAsserted(() -> assertThat(files()).isEmpty());
        claim("next", result("gpu", A));
        prepare("next");
    }

    /** After a restart its card was another pod's as well: the owner of a claim can remove its finalizer. */
    @Test
    void aClaimThatIsDeletedUnderItsPodKeepsItsCardUntilThePodEnds() throws Exception {
        StartedProgram first = serve();
        slice();
        claim("owned", result("gpu", A));
        prepare("owned");
        pod("owned", "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}");
        kill(first);
        api.remove(ApiResource.RESOURCE_CLAIMS, "default", "owned");
        serve();
        await().untilAsserted(() -> assertThat(log())
                .contains("claim default/owned is gone, and keeps its cards until pod default/owned ends"));
        claim("next", result("gpu", A));
        assertThat(error("next")).contains("held by claim default/owned");

        // The kubelet has forgotten the claim.
        api.delete("owned");
        await().untilAsserted(() -> assertThat(files()).isEmpty());
        prepare("next");
    }

    @Test
    void callsAreServedBeforeTheRecoveredClaimsAreRead() throws Exception {
        StartedProgram first = serve();
        slice();
        claim("kept", result("gpu", A, "3Gi", "s1"));
        prepare("kept");
        kill(first);
        FaultRule reads = api.claimReads();
        reads.next(Outcome.Plain.HELD);
        serve();
        await().until(() -> reads.held() == 1);
        assertThat(log()).doesNotContain("counts as present");
        reads.release();
        claim("second", result("gpu", A, "13Gi", "s2"));
        assertThat(error("second")).contains("held by claim default/kept");
    }

    @Test
    void aPrepareWhoseCallEndedLeavesNothingBehindAnUnprepare() throws Exception {
        serve();
        slice();
        claim("late", result("gpu", A, "3Gi", "s1"));
        FaultRule reads = api.claimReads();
        reads.next(Outcome.Plain.HELD);
        assertThatThrownBy(() -> call("late", Duration.ofSeconds(1))).hasMessageContaining("DEADLINE_EXCEEDED");
        assertThat(reads.held()).isOne();
        CompletableFuture<String> unprepared = CompletableFuture.supplyAsync(() -> unprepare("late"));
        reads.release();
        await().until(unprepared::isDone);
        assertThat(unprepared.join()).isEmpty();
        await().untilAsserted(
                        () -> assertThat(log()).contains("refused: claim default/late: the kubelet ended its call"));
        assertThat(files()).isEmpty();
        prepare("late");
    }

    @Test
    void objectsThatATenantMadeLargeAreRefusedAndTheDriverGoesOn() throws Exception {
        serve();
        slice();
        List<CompletableFuture<String>> errors = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ObjectNode large = document("large" + i, "uid-large" + i, result("gpu", A, "1Gi", "s" + i));
            ObjectNode annotations = ((ObjectNode) large.path("metadata")).putObject("annotations");
            for (int entry = 0; entry < 60_000; entry++) {
                annotations.put("k" + entry, "");
            }
            api.put(large);
        }
        for (int i = 0; i < 8; i++) {
            String name = "large" + i;
            errors.add(CompletableFuture.supplyAsync(() -> error(name)));
        }
        for (CompletableFuture<String> error : errors) {
            await().until(error::isDone);
            assertThat(error.join()).contains("there are more than 512 KiB");
        }
        claim("small", result("gpu", A, "3Gi", "s1"));
        prepare("small");
    }

    @Test
    void slicesThatTheApiServerRefusesMakeTheDriverUnready() throws Exception {
        api.refuseSlices();
        serve();
        await().untilAsserted(() ->
                assertThat(get("/readyz").body()).contains("the policy of this cluster denies the slice"));
        api.awaitEvent("the policy of this cluster denies the slice");
    }

    /** As Kubernetes 1.34 and 1.35 do, and 1.36.2 with these features off. */
    @Test
    void whereSharesAndTaintsAreNotStoredClaimsTakeWholeCardsAndNoUnhealthyOne() throws Exception {
        api.dropFields(ApiResource.RESOURCE_SLICES, "allowMultipleAllocations", "requestPolicy", "taints");
        serve();
        assertThat(names(slice())).containsExactly(name(A), name(B));
        api.awaitEvent("allocates devices of ResourceSlices only whole");
        claim("held", result("gpu", A));
        prepare("held");

        cards(CARD_A + " xid=79#1", CARD_B + " xid=79#1");
        // The card in use stays, so that readers know what the claim has.
        await().until(() -> names(slice()).equals(List.of(name(A))));
        unprepare("held");
        await().until(() -> api.all(ApiResource.RESOURCE_SLICES).isEmpty());
        cards(CARD_A, CARD_B);
        await().until(() -> names(slice()).equals(List.of(name(A), name(B))));
    }

    @Test
    void aNodeOfClaimsOffersNothingToHami() throws Exception {
        serve("--hami");
        assertThat(slice().toString()).doesNotContain("slots");
        await().until(() -> api.patches().stream().anyMatch(each -> each.contains("serves_claims")));
        assertThat(api.patches()).noneMatch(each -> each.contains("hami.io/node-nvidia-register\":\""));
    }

    @Test
    void whatCantBePreparedHasASentence() throws Exception {
        serve();
        slice();
        assertThat(error("absent"))
                .isEqualTo("claim default/absent with uid uid-absent does not exist any more: recreate the pod");
        claim("recreated", "uid-another", result("gpu", A, "3Gi", "s1"));
        assertThat(error("recreated")).contains("does not exist any more");
        claim("other", "uid-other", result("gpu", A, "3Gi", "s1").put("pool", "n2"));
        assertThat(error("other")).contains("its device is in pool 'n2'");
        claim("admin", result("gpu", A, "3Gi", "s1"), result("watch", A).put("adminAccess", true));
        assertThat(error("admin")).contains("write the requests with adminAccess as a claim of its own");
        assertThat(files()).isEmpty();
    }

    /** It was refused. */
    @Test
    void administrativeAccessSeesCardsBesideTheirHoldersAndTakesNothing() throws Exception {
        StartedProgram program = serve();
        slice();
        claim("whole", result("gpu", A, "15Gi", "s1"));
        prepare("whole");
        claim(
                "watch",
                result("all", A).put("adminAccess", true),
                result("all", B).put("adminAccess", true));
        NodePrepareResourceResponse answer = prepare("watch");
        assertThat(answer.getDevicesList()).extracting(Device::getDeviceName).containsExactly(name(A), name(B));
        assertThat(answer.getDevices(0).getCdiDeviceIdsList()).containsExactly("gpushare.io/claim=uid-watch_all");
        assertThat(Files.readString(cdi().resolve("gpushare.io-watching_uid-watch.json")))
                .contains("NVIDIA_VISIBLE_DEVICES=" + A + "," + B, "NVIDIA_DRIVER_CAPABILITIES=utility")
                .doesNotContain("GPUSHARE_MEMORY");
        claim("other", result("gpu", B, "15Gi", "s2"));
        prepare("other");
        pod("other", "{\"name\": \"both\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}, {\"name\": \"more\"}]}}");
        claim("two", result("all", A).put("adminAccess", true));
        unprepare("other");
        assertThat(error("other")).contains("container 'both' of pod default/other uses claim default/two as well");

        kill(program);
        serve();
        assertThat(prepare("watch")).isEqualTo(answer);
        assertThat(unprepare("watch")).isEmpty();
        assertThat(files()).containsExactly("gpushare.io-claim_uid-whole.json");
    }

    @Test
    void aContainerOfTwoRequestsIsRefusedAndOneContainerForEachIsNot() throws Exception {
        serve();
        slice();
        claim("two", result("a", A, "3Gi", "s1"), result("b", B, "5Gi", "s2"));
        pod("{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}");
        assertThat(error("two"))
                .isEqualTo("claim default/two: container 'main' of pod default/two uses several requests with cards"
                        + ADVICE);
        assertThat(files()).isEmpty();
        pod("{\"name\": \"x\", \"resources\": {\"claims\": [{\"name\": \"gpu\", \"request\": \"a\"}]}},"
                + " {\"name\": \"y\", \"resources\": {\"claims\": [{\"name\": \"gpu\", \"request\": \"b\"}]}}");
        assertThat(prepare("two").getDevicesList())
                .extracting(device -> device.getCdiDeviceIds(0))
                .containsExactly("gpushare.io/claim=uid-two_a", "gpushare.io/claim=uid-two_b");

        // Equal ones on one card: it had the limit of one and counted for both, and both had the same series.
        claim("equal", result("a", A, "1Gi", "s5"), result("b", A, "1Gi", "s6"));
        pod("equal", "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}");
        assertThat(error("equal")).contains("uses several requests with cards");

        claim("one", result("a", A, "3Gi", "s3"));
        claim("before", result("a", A, "1Gi", "s4"));
        NodePrepareResourceResponse answer = prepare("before");
        pod("before", "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}, {\"name\": \"more\"}]}}");
        assertThat(prepare("before")).as("a repeated call").isEqualTo(answer);
        pod("one", "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}, {\"name\": \"more\"}]}}");
        assertThat(error("one"))
                .isEqualTo("claim default/one: container 'main' of pod default/one uses claim default/two as well"
                        + ADVICE);
    }

    @Test
    void ofAContainerWithManyClaimsOnlySomeAreRead() throws Exception {
        serve();
        slice();
        claim("many", result("gpu", A, "3Gi", "s1"));
        ObjectNode pod = (ObjectNode) JSON.readTree("""
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "many", "namespace": "default"},
             "spec": {"nodeName": "n1", "containers": [{"name": "main", "resources": {}}]}}\
            """);
        ((ObjectNode) pod.path("metadata")).put("uid", "uid-pod-many");
        for (int i = 0; i < 10; i++) {
            ((ObjectNode) pod.at("/spec"))
                    .withArray("resourceClaims")
                    .addObject()
                    .put("name", "c" + i)
                    .put("resourceClaimName", i == 0 ? "many" : "other" + i);
            ((ObjectNode) pod.at("/spec/containers/0/resources"))
                    .withArray("claims")
                    .addObject()
                    .put("name", "c" + i);
        }
        api.put(pod);
        assertThat(error("many"))
                .isEqualTo(
                        "claim default/many: container 'main' of pod default/many is one of those that use more than 8"
                                + " other claims, of which no more are read: use fewer in a pod with cards");
    }

    @Test
    void whatAContainerSetsItselfCountsButNotWhichCardsItSees() throws Exception {
        serve();
        slice();
        claim("own", result("gpu", A, "3Gi", "s1"));
        pod(
                "own",
                "{\"name\": \"main\", \"env\": [{\"name\": \"XLA_CLIENT_MEM_FRACTION\", \"value\": \".5\"},"
                        + " {\"name\": \"NVIDIA_VISIBLE_DEVICES\", \"value\": \"all\"}],"
                        + " \"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}");
        prepare("own");
        assertThat(environment("own"))
                .contains("NVIDIA_VISIBLE_DEVICES=" + A, "GPUSHARE_MEMORY_MIB=3072")
                .noneMatch(variable -> variable.startsWith("XLA_"));
    }

    @Test
    void whereTheApiHasNoClaimsTheOptionIsRefused() throws Exception {
        api.withoutClaims();
        StartedProgram program = run("--serve=dra", "--cdi-dir=" + cdi());
        assertThat(program.exitCode()).isEqualTo(2);
        assertThat(log())
                .contains("--serve=dra needs Kubernetes 1.34 or newer: this API server has no resource.k8s.io/v1. Use"
                        + " --serve=device-plugin");
    }
}
