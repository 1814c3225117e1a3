package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.api.podresources.v1.CDIDevice;
import io.gpushare.api.podresources.v1.ClaimResource;
import io.gpushare.api.podresources.v1.DynamicResource;
import io.gpushare.api.podresources.v1.PodResources;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.KubeletPodResources;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a claim may ask for besides a share of a card: instances, and several cards. */
@Tag("release")
class ClaimedKindsIT extends ClaimsScenario {
    private static final String MIG = "device.attributes['gpushare.io'].type == 'mig'";

    @AfterEach
    void twoT4Again() {
        pods.deleteEverything();
        // Beside a device plugin they would be asked for cards of its resource.
        cluster.kubectl()
                .run("delete", "--ignore-not-found", "deviceclass", "gpushare-mig-3g.40gb", "gpushare-mig-1g.10gb");
        cards(2, SharedCluster.twoT4());
    }

    private static void cards(int devices, String... lines) {
        shared.installation().cards(lines);
        Await.until(PATIENCE, devices + " devices", ClaimsScenario::offered, now -> now.size() == devices);
    }

    @Test
    void anInstanceIsTakenWholeByItsProfileOrShared() {
        install("mig: {profiles: [3g.40gb, 1g.10gb]}", "", List.of("dra.yaml"));
        cards(4, "card kind=H100-80 uuid-seed=full", "card kind=H100-80 uuid-seed=cut mig=3g.40gb,1g.10gb,1g.10gb");
        template("large", "exactly: {deviceClassName: gpushare-mig-3g.40gb}");
        template("part", """
            exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 4Gi}},
              selectors: [{cel: {expression: "%s"}}]}\
            """.formatted(MIG));
        create("large", "large");
        String large = sees("large");
        System.out.println("claims: an instance: " + large);
        assertThat(profile(large)).isEqualTo("3g.40gb");
        assertThat(large).startsWith("MIG-").endsWith(" memory fraction");
        create("first", "part");
        create("second", "part");
        create("third", "part");
        String first = sees("first");
        System.out.println("claims: a share of an instance: " + first);
        assertThat(profile(first)).isEqualTo("1g.10gb");
        assertThat(first).contains(" memory 4096 fraction 0.");
        assertThat(sees("second")).isEqualTo(first);
        assertThat(profile(sees("third"))).isEqualTo("1g.10gb");
        assertThat(sees("third")).isNotEqualTo(first);
        create("card", "card");
        assertThat(sees("card")).startsWith("GPU-").endsWith(" memory fraction");
        create("waits", "large");
        pods.refused("waits", "cannot allocate all claims");
        pods.delete("large");
        assertThat(sees("waits")).isEqualTo(large);
    }

    private static String profile(String sees) {
        for (JsonNode device : slices().at("/0/spec/devices")) {
            if (sees.startsWith(device.at("/attributes/uuid/string").asText() + " ")) {
                return device.at("/attributes/profile/string").asText();
            }
        }
        return "";
    }

    @Test
    void oneRequestOfTwoCardsGivesTheContainerBoth() {
        template("two-shares", "exactly: {deviceClassName: gpushare, count: 2, capacity: {requests: {memory: 6Gi}}}");
        template("two-cards", "exactly: {deviceClassName: gpushare-card, count: 2}");
        create("shares", "two-shares");
        String shares = sees("shares");
        System.out.println("claims: count 2 with 6Gi: " + shares);
        assertThat(Set.of(shares.split(" ", -1)[0].split(",", -1))).hasSize(2);
        assertThat(shares).contains(" memory 6144 fraction ");
        pods.delete("shares");
        create("whole", "two-cards");
        String whole = sees("whole");
        System.out.println("claims: count 2, whole: " + whole);
        assertThat(Set.of(whole.split(" ", -1)[0].split(",", -1))).hasSize(2);
        assertThat(whole).endsWith(" memory fraction");
    }

    @Test
    void twoRequestsOfOneClaimHaveTheirConstraint() {
        for (String constraint : List.of("matchAttribute", "distinctAttribute")) {
            cluster.kubectl().apply("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: %s, namespace: default}
                spec:
                  spec:
                    devices:
                      requests:
                        - {name: a, exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 3Gi}}}}
                        - {name: b, exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 6Gi}}}}
                      constraints: [{requests: [a, b], %s: gpushare.io/uuid}]
                """.formatted(constraint.toLowerCase(Locale.ROOT), constraint));
            String pod = pod("both", "resourceClaimTemplateName: " + constraint.toLowerCase(Locale.ROOT));
            String containers = pod.substring(pod.indexOf("    - name: main"));
            cluster.kubectl()
                    .apply(pod.replace("claims: [{name: gpu}]", "claims: [{name: gpu, request: a}]")
                            + containers
                                    .replace("name: main", "name: other")
                                    .replace("claims: [{name: gpu}]", "claims: [{name: gpu, request: b}]"));
            pods.running("both");
            String[] a = pods.sees("both", "main").split(" ", 2);
            String[] b = pods.sees("both", "other").split(" ", 2);
            System.out.println("claims: " + constraint + ": " + List.of(a) + " " + List.of(b));
            assertThat(a[0].equals(b[0])).as(constraint).isEqualTo(constraint.equals("matchAttribute"));
            assertThat(a[1]).startsWith("memory 3072 fraction ");
            assertThat(b[1]).startsWith("memory 6144 fraction ");
            pods.delete("both");
        }
    }

    /** Nobody prepares the other driver's device here: what kube-scheduler allocated is compared, and no pod starts. */
    @Test
    void aCardIsAllocatedBelowTheSameRootAsTheDeviceOfAnotherDriver() throws IOException {
        Path devices = Files.createDirectories(cluster.sharedFolder().resolve("sys/bus/pci/devices"));
        Path below = Path.of("../../../devices");
        Files.createSymbolicLink(devices.resolve("0000:10:00.0"), below.resolve("pci0000:0f/0000:10:00.0"));
        Files.createSymbolicLink(devices.resolve("0000:11:00.0"), below.resolve("pci0000:20/0000:11:00.0"));
        install("none", ", --sys-dir=/simulated/sys");
        List<JsonNode> cards = Await.until(
                PATIENCE,
                "both cards have their roots",
                () -> slices().at("/0/spec/devices").valueStream().toList(),
                now -> now.size() == 2
                        && now.stream().noneMatch(card -> root(card).isEmpty()));
        cluster.kubectl().apply(otherDriver(cluster.node()));
        try {
            create("aligned", "card-and-nic");
            JsonNode results = Await.until(
                    PATIENCE,
                    "the claim is allocated",
                    () -> cluster.kubectl()
                            .json("-n", "default", "get", "resourceclaims")
                            .at("/items/0/status/allocation/devices/results"),
                    now -> now.size() == 2);
            System.out.println("claims: beside a device of another driver: " + results);
            String card = results.valueStream()
                    .filter(result -> result.path("driver").asText().equals("gpushare.io"))
                    .findFirst()
                    .orElseThrow()
                    .path("device")
                    .asText();
            assertThat(cards)
                    .filteredOn(each -> each.path("name").asText().equals(card))
                    .singleElement()
                    .satisfies(each -> assertThat(root(each)).isEqualTo("pci0000:20"));
            create("elsewhere", "card-and-far-nic");
            pods.refused("elsewhere", "cannot allocate all claims");
        } finally {
            pods.deleteEverything();
            cluster.kubectl().run("delete", "resourceslice,deviceclass", "nic");
            install("none", "");
        }
    }

    /** Two devices of another driver on that node, one of them below the root of a card, and claims of both drivers. */
    private static String otherDriver(String node) {
        return """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: nic}
            spec: {selectors: [{cel: {expression: "device.driver == 'nic.example.com'"}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: nic}
            spec:
              driver: nic.example.com
              nodeName: %s
              pool: {name: nics, generation: 1, resourceSliceCount: 1}
              devices:
                - name: near
                  attributes: {resource.kubernetes.io/pcieRoot: {string: "pci0000:20"}}
                - name: far
                  attributes: {resource.kubernetes.io/pcieRoot: {string: "pci0000:40"}}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: card-and-nic, namespace: default}
            spec:
              spec:
                devices:
                  requests:
                    - {name: gpu, exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 3Gi}}}}
                    - {name: nic, exactly: {deviceClassName: nic}}
                  constraints: [{matchAttribute: resource.kubernetes.io/pcieRoot}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: card-and-far-nic, namespace: default}
            spec:
              spec:
                devices:
                  requests:
                    - {name: gpu, exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 3Gi}}}}
                    - name: nic
                      exactly:
                        deviceClassName: nic
                        selectors:
                          - cel:
                              expression: "device.attributes['resource.kubernetes.io'].pcieRoot == 'pci0000:40'"
                  constraints: [{matchAttribute: resource.kubernetes.io/pcieRoot}]
            """.formatted(node);
    }

    private static String root(JsonNode card) {
        return card.at("/attributes/resource.kubernetes.io~1pcieRoot/string").asText();
    }

    /** NVIDIA's toolkit writes a device for each card by its index and by its UUID; no runtime of NVIDIA is here. */
    @Test
    void whereNvidiasFileNamesTheCardsAContainerHasTheDeviceFilesOfItsOwn() {
        List<String> cards = slices().at("/0/spec/devices")
                .valueStream()
                .map(device -> device.at("/attributes/uuid/string").asText())
                .toList();
        StringBuilder devices = new StringBuilder();
        for (int i = 0; i < cards.size(); i++) {
            for (String name : List.of(String.valueOf(i), cards.get(i))) {
                devices.append("""
                    - name: "%s"
                      containerEdits: {deviceNodes: [{path: /dev/nvidia%d, hostPath: /dev/null}]}
                    """.formatted(name, i));
            }
        }
        cluster.onNode("sh", "-c", """
            mkdir -p /run/cdi
            cat >/run/cdi/nvidia.yaml <<'END'
            cdiVersion: 0.5.0
            kind: nvidia.com/gpu
            containerEdits:
              env: [NVIDIA_VISIBLE_DEVICES=void]
              deviceNodes: [{path: /dev/nvidiactl, hostPath: /dev/null}]
            devices:
            %sEND
            """.formatted(devices));
        try {
            create("first", "card");
            create("second", "card");
            for (String pod : List.of("first", "second")) {
                assertThat(sees(pod)).startsWith("void");
                String files = cluster.kubectl().run("exec", pod, "--", "sh", "-c", "ls /dev | grep nvidia");
                String card = allocated(pod);
                System.out.println("claims: by NVIDIA's file " + pod + " with " + card + " has "
                        + String.join(" ", files.split("\n", -1)));
                int index = cards.stream()
                        .map(uuid -> uuid.toLowerCase(Locale.ROOT))
                        .toList()
                        .indexOf(card);
                assertThat(files.lines()).containsExactlyInAnyOrder("nvidia" + index, "nvidiactl");
            }
            assertThat(allocated("first")).isNotEqualTo(allocated("second"));
        } finally {
            pods.deleteEverything();
            cluster.onNode("rm", "-f", "/run/cdi/nvidia.yaml");
        }
    }

    /** The device of that pod's claim. */
    private static String allocated(String pod) {
        return cluster.kubectl()
                .json("-n", "default", "get", "resourceclaims")
                .path("items")
                .valueStream()
                .filter(claim -> claim.at("/status/reservedFor/0/name").asText().equals(pod))
                .map(claim ->
                        claim.at("/status/allocation/devices/results/0/device").asText())
                .findFirst()
                .orElseThrow();
    }

    /** What other programs read of a pod's cards, such as exporters of metrics. */
    @Test
    void theKubeletListsTheClaimOfAPodWithItsCardAndNoDevice() {
        create("listed", "share-3");
        String card = sees("listed").split(" ", -1)[0];
        JsonNode claim =
                cluster.kubectl().json("-n", "default", "get", "resourceclaims").at("/items/0");
        PodResources listed = KubeletPodResources.list(cluster.podResourcesSocket()).stream()
                .filter(pod -> pod.getName().equals("listed"))
                .findFirst()
                .orElseThrow();
        System.out.println("claims: the kubelet lists: " + listed.toString().replaceAll("\\s+", " "));
        assertThat(KubeletPodResources.get(cluster.podResourcesSocket(), "default", "listed"))
                .isEqualTo(listed);
        assertThat(listed.getContainers(0).getDevicesList()).isEmpty();
        DynamicResource resource = listed.getContainers(0).getDynamicResources(0);
        assertThat(resource.getClaimName()).isEqualTo(claim.at("/metadata/name").asText());
        ClaimResource device = resource.getClaimResources(0);
        assertThat(device.getDriverName()).isEqualTo("gpushare.io");
        assertThat(device.getPoolName()).isEqualTo(cluster.node());
        assertThat(device.getDeviceName()).isEqualTo(card.toLowerCase(Locale.ROOT));
        assertThat(device.getShareId())
                .isEqualTo(
                        claim.at("/status/allocation/devices/results/0/shareID").asText());
        assertThat(device.getCdiDevicesList())
                .extracting(CDIDevice::getName)
                .containsExactly(
                        "gpushare.io/claim=" + claim.at("/metadata/uid").asText() + "_gpu");
    }
}
