package io.gpushare.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The node's Lease, and what the plugin offers while the API server does not respond. */
class NodeLeaseIT extends WholeProgram {
    @Test
    void withoutTheApiServerFreeDevicesAreWithdrawnAndAllocatedOnesStay() throws Exception {
        cards(CARD_A, CARD_B);
        run(METRICS);
        await().atMost(PATIENCE).until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod("p", "Running", Map.of(MEMORY, "3"), memoryOn(B, 3));
        list("p");
        await().atMost(PATIENCE).until(() -> kubelet.healthy(CARDS).size() == 1);
        allocate(MEMORY, preferred(MEMORY, 3));

        api.cutOff(true);
        await().atMost(PATIENCE).until(() -> kubelet.healthy(MEMORY).size() == 3);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).allMatch(id -> id.startsWith(B)));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).isEmpty());
        assertThat(metrics()).contains("gpushare_plugin_api_server_responds 0.0");
        assertThat(get("/readyz").statusCode()).as("readiness").isEqualTo(200);

        api.cutOff(false);
        await().atMost(PATIENCE).until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).containsExactly(A));
        assertThat(metrics()).contains("gpushare_plugin_api_server_responds 1.0");
        assertThat(log().lines().filter(line -> line.contains("free devices are")))
                .as("logged once each way")
                .hasSize(2);
    }

    @Test
    void aPodThatIsRecreatedUnderItsNameMeanwhileLeavesNoCardBehind() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().atMost(PATIENCE).until(() -> kubelet.healthy(CARDS).size() == 2);
        api.pod("p", "Pending", Map.of(MEMORY, "2"), memoryOn(A, 2));
        await().atMost(PATIENCE).until(() -> kubelet.healthy(CARDS).equals(List.of(B)));

        api.cutOff(true);
        api.recreated("p", Map.of(MEMORY, "2"), memoryOn(B, 2));
        api.cutOff(false);
        await().atMost(PATIENCE).until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        api.delete("p");
        await().atMost(PATIENCE).until(() -> kubelet.healthy(CARDS).equals(List.of(A, B)));
    }

    @Test
    void theLeaseBelongsToTheNodeAndIsReleasedWhenThePluginStops() throws Exception {
        cards(CARD_A);
        Process running = run();
        await().atMost(PATIENCE).until(api::hasLease);
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(spec().path("holderIdentity").asText()).isEqualTo("n1"));
        JsonNode owner = api.lease().path("metadata").path("ownerReferences").path(0);
        assertThat(owner.path("kind").asText()).isEqualTo("Node");
        assertThat(owner.path("name").asText()).isEqualTo("n1");
        assertThat(owner.path("uid").asText()).isEqualTo("uid-n1");
        String renewed = spec().path("renewTime").asText();
        await().atMost(PATIENCE).until(() -> !spec().path("renewTime").asText().equals(renewed));

        api.recreateNode("uid-2");
        await().atMost(PATIENCE).until(api::hasLease);
        assertThat(api.lease().toString()).contains("uid-2");

        running.destroy();
        assertThat(running.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(spec().path("holderIdentity").asText("")).isEmpty();
    }

    @Test
    void aPluginWhoseRoleIsOlderOffersItsDevicesAndSaysWhatToDo() throws Exception {
        api.refuseLeases();
        cards(CARD_A);
        run();
        await().atMost(PATIENCE).until(() -> log().contains("apply the plugin's manifest of this version"));
        await().atMost(PATIENCE).until(() -> kubelet.healthy(MEMORY).size() == 15);
    }

    private JsonNode spec() {
        return api.lease().path("spec");
    }
}
