package io.gpushare.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The quotas of namespaces in the view. */
class QuotasIT extends WithView {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Override
    void fill(TestApiServer cluster) {
        super.fill(cluster);
        cluster.quota("team-a", "gpu", null, "aliyun.com/gpu-mem", "4", "16");
        cluster.quota("team-a", "batch", "low", "aliyun.com/gpu-mem", "2k", "1500m");
        cluster.quota("team-b", "cards", null, "aliyun.com/gpu-count", "1", "1");
    }

    @Test
    void whatEachNamespaceMayRequestAndRequestsIsShownTheFullestFirst() throws Exception {
        assertThat(quotas(3))
                .containsExactly(
                        "{\"namespace\":\"team-a\",\"name\":\"batch\",\"of\":\"units\",\"scope\":\"PriorityClass In"
                                + " low\",\"used\":2000,\"hard\":1}",
                        "{\"namespace\":\"team-b\",\"name\":\"cards\",\"of\":\"cards\",\"used\":1,\"hard\":1}",
                        "{\"namespace\":\"team-a\",\"name\":\"gpu\",\"of\":\"units\",\"used\":4,\"hard\":16}");
        assertThat(new JsonObject(text("waste?namespace=team-b&output=json")).getJsonArray("quotas"))
                .hasSize(1);
    }

    @Test
    void oddQuotasAreLeftOutAndThousandsAreBounded() throws Exception {
        api.quota("odd", "no-amount", null, "aliyun.com/gpu-mem", "", "");
        api.quota("odd", "words", null, "aliyun.com/gpu-mem", "many", "more");
        api.quota("odd", "negative", null, "aliyun.com/gpu-mem", "-1", "-5");
        api.quota("odd", "long", null, "aliyun.com/gpu-mem", "1", "1" + "0".repeat(300));
        api.quota("odd", "others", null, "nvidia.com/gpu", "1", "5");
        api.quota("odd", "huge", "\u001b[31m" + "x".repeat(5000), "aliyun.com/gpu-mem", "1E", "99E");
        for (int i = 0; i < 3000; i++) {
            api.quota("n" + i, "gpu", null, "aliyun.com/gpu-mem", "0", "1");
        }
        assertThat(quotas(500))
                .filteredOn(text -> text.contains("\"odd\""))
                .singleElement()
                .asString()
                .contains("\"name\":\"huge\"", "\"used\":1000000000000000000,\"hard\":9223372036854775807", "…")
                .doesNotContain("\u001b")
                .hasSizeLessThan(400);
    }

    private List<String> quotas(int expected) throws Exception {
        await().atMost(SOON)
                .until(() ->
                        json("waste").getJsonArray("quotas", new JsonArray()).size() == expected);
        JsonArray quotas = json("waste").getJsonArray("quotas");
        return IntStream.range(0, quotas.size())
                .mapToObj(i -> quotas.getJsonObject(i).encode())
                .toList();
    }
}
