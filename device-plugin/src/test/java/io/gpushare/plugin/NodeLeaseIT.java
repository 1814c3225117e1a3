package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.simulated.program.StartedProgram;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The node's Lease, and what the plugin offers while the API server does not respond. */
class NodeLeaseIT extends WholeProgram {
    @Test
    void withoutTheApiServerFreeDevicesAreWithdrawnAndAllocatedOnesStay() throws Exception {
        cards(CARD_A, CARD_B);
        run(METRICS);
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod("p", "Running", Map.of(MEMORY, "3"), memoryOn(B, 3));
        list("p");
        await().until(() -> kubelet.healthy(CARDS).size() == 1);
        allocate(MEMORY, preferred(MEMORY, 3));

        api.cutOff(true);
        await().until(() -> kubelet.healthy(MEMORY).size() == 3);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).allMatch(id -> id.startsWith(B)));
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).isEmpty());
        assertThat(metrics()).contains("gpushare_plugin_api_server_responds 0.0");
        assertThat(get("/readyz").statusCode()).as("readiness").isEqualTo(200);

        api.cutOff(false);
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).containsExactly(A));
        assertThat(metrics()).contains("gpushare_plugin_api_server_responds 1.0");
        assertThat(log().lines().filter(line -> line.contains("free devices are")))
                .as("logged once each way")
                .hasSize(2);
    }

    @Test
    void aPodThatIsRecreatedUnderItsNameMeanwhileLeavesNoCardBehind() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        api.pod("p", "Pending", Map.of(MEMORY, "2"), memoryOn(A, 2));
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));

        api.cutOff(true);
        api.recreated("p", Map.of(MEMORY, "2"), memoryOn(B, 2));
        api.cutOff(false);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        api.delete("p");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A, B)));
    }

    @Test
    void theLeaseBelongsToTheNodeAndIsReleasedWhenThePluginStops() throws Exception {
        cards(CARD_A);
        StartedProgram running = run();
        await().until(api::hasLease);
        await().untilAsserted(
                        () -> assertThat(spec().path("holderIdentity").asText()).isEqualTo("n1"));
        JsonNode owner = api.lease().path("metadata").path("ownerReferences").path(0);
        assertThat(owner.path("kind").asText()).isEqualTo("Node");
        assertThat(owner.path("name").asText()).isEqualTo("n1");
        assertThat(owner.path("uid").asText()).isEqualTo("uid-n1");
        String renewed = spec().path("renewTime").asText();
        await().until(() -> !spec().path("renewTime").asText().equals(renewed));

        api.recreateNode("uid-2");
        await().until(api::hasLease);
        assertThat(api.lease().toString()).contains("uid-2");

        running.terminate();
        assertThat(running.exitCode()).isZero();
        assertThat(spec().path("holderIdentity").asText("")).isEmpty();
    }

    @Test
    void aPluginWhoseRoleIsOlderOffersItsDevicesAndSaysWhatToDo() throws Exception {
        api.refuseLeases();
        cards(CARD_A);
        run();
        await().until(() -> log().contains("apply the plugin's manifest of this version"));
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
    }

    private JsonNode spec() {
        return api.lease().path("spec");
    }
}
