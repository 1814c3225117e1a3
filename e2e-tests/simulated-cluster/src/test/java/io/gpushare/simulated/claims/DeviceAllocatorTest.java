package io.gpushare.simulated.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What Kubernetes 1.36.2 answered to the same slices and claims. */
class DeviceAllocatorTest {
    private static final Map<String, JsonNode> CLASSES = Map.of(
            "gpushare",
            ApiClient.document("{\"selectors\":[{\"cel\":{\"expression\":\"device.driver == 'gpushare.io'\"}}]}"));

    private final List<String> cards = new ArrayList<>(List.of(card("a", ""), card("b", "")));
    private final List<JsonNode> allocations = new ArrayList<>();

    private static String card(String name, String taints) {
        return """
            {"name":"%s","allowMultipleAllocations":true,"attributes":{"uuid":{"string":"%s"}},%s"capacity":{
              "memory":{"value":"8Gi","requestPolicy":{"default":"8Gi","validRange":{"min":"1Gi","max":"8Gi","step":"1Gi"}}},
              "cores":{"value":"100","requestPolicy":{"default":"0","validRange":{"min":"0","max":"100","step":"1"}}}}}\
            """.formatted(name, name, taints);
    }

    /** The devices and their memory; empty if the claim waits. */
    private String allocate(String devices) {
        ObjectNode claim = ApiClient.document("{\"spec\":{\"devices\":" + devices + "}}");
        JsonNode slice = ApiClient.document("""
            {"spec":{"driver":"gpushare.io","nodeName":"n1","pool":{"name":"n1"},"devices":[%s]}}\
            """.formatted(String.join(",", cards)));
        StringBuilder got = new StringBuilder();
        new DeviceAllocator(claim, CLASSES, List.of(slice), allocations)
                .allocate("n1")
                .ifPresent(allocation -> {
                    allocations.add(allocation);
                    allocation
                            .at("/devices/results")
                            .forEach(result -> got.append(result.path("device").asText())
                                    .append(' ')
                                    .append(result.at("/consumedCapacity/memory")
                                            .asText())
                                    .append(' '));
                });
        return got.toString().strip();
    }

    private static String share(String memory) {
        return request("\"capacity\":{\"requests\":{\"memory\":\"" + memory + "\"}}");
    }

    private static String request(String more) {
        return "{\"requests\":[{\"name\":\"gpu\",\"exactly\":{\"deviceClassName\":\"gpushare\""
                + (more.isEmpty() ? "" : "," + more) + "}}]}";
    }

    @Test
    void sharesFillTheFirstCardAndWhoNamesNoMemoryTakesAnUnusedCardWhole() {
        assertThat(allocate(share("3Gi"))).isEqualTo("a 3Gi");
        assertThat(allocate(share("5Gi"))).isEqualTo("a 5Gi");
        assertThat(allocate(share("1Gi"))).isEqualTo("b 1Gi");
        assertThat(allocate(request(""))).isEmpty();
        allocations.removeLast();
        assertThat(allocate(request(""))).isEqualTo("b 8Gi");
        assertThat(allocate(share("1Gi"))).isEmpty();
    }

    @Test
    void amountsAreRoundedUpToAStep() {
        assertThat(allocate(share("2500Mi"))).isEqualTo("a 3Gi");
        assertThat(allocate(share("9Gi"))).isEmpty();
        assertThat(allocations
                        .getFirst()
                        .at("/devices/results/0/consumedCapacity/cores")
                        .asText())
                .isEqualTo("0");
    }

    @Test
    void oneRequestOfTwoTakesTwoCards() {
        assertThat(allocate(request("\"count\":2,\"capacity\":{\"requests\":{\"memory\":\"2Gi\"}}")))
                .isEqualTo("a 2Gi b 2Gi");
        assertThat(allocate(request("\"count\":3"))).isEmpty();
    }

    @Test
    void theOrderOfTheSliceDecidesAndATaintKeepsNewClaimsAway() {
        cards.addFirst(cards.removeLast());
        assertThat(allocate(share("1Gi"))).isEqualTo("b 1Gi");
        cards.set(0, card("b", "\"taints\":[{\"key\":\"gpushare.io/unhealthy\",\"effect\":\"NoSchedule\"}],"));
        assertThat(allocate(share("1Gi"))).isEqualTo("a 1Gi");
        assertThat(allocate(request("\"tolerations\":[{\"key\":\"gpushare.io/unhealthy\",\"operator\":\"Exists\"}],"
                        + "\"capacity\":{\"requests\":{\"memory\":\"1Gi\"}}")))
                .isEqualTo("b 1Gi");
    }

    @Test
    void requestsOfOneClaimMayHaveToShareACard() {
        allocate(share("6Gi"));
        String requests = "{\"requests\":["
            + "{\"name\":\"one\",\"exactly\":{\"deviceClassName\":\"gpushare\",\"capacity\":{\"requests\":{\"memory\":\"2Gi\"}}}},"
            + "{\"name\":\"two\",\"exactly\":{\"deviceClassName\":\"gpushare\",\"capacity\":{\"requests\":{\"memory\":\"2Gi\"}}}}]";
        assertThat(allocate(requests + ",\"constraints\":[{\"matchAttribute\":\"gpushare.io/uuid\"}]}"))
                .isEqualTo("b 2Gi b 2Gi");
        allocations.removeLast();
        assertThat(allocate(requests + "}")).isEqualTo("a 2Gi b 2Gi");
    }

    @Test
    void aCapacityThatADeviceLacksAndAnUnknownClassFitNowhere() {
        assertThat(allocate(request("\"capacity\":{\"requests\":{\"slots\":\"1\"}}")))
                .isEmpty();
        assertThat(allocate("{\"requests\":[{\"name\":\"gpu\",\"exactly\":{\"deviceClassName\":\"other\"}}]}"))
                .isEmpty();
    }
}
