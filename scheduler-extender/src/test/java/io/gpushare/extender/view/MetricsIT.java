package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithExtender;
import io.gpushare.simulated.pages.MetricTable;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The metrics of a cluster over the wire, value by value. */
class MetricsIT extends WithExtender {
    private static final JsonObject FOUR = new JsonObject().put("aliyun.com/gpu-mem", "4");
    private static final JsonObject ONE_CARD = new JsonObject().put("aliyun.com/gpu-count", "1");

    @Override
    protected void fill(TestApiServer cluster) {
        // Cards of 10 GiB and 512 MiB: units of which none is left over are 10.
        cluster.node("n1", inventory("", "", ",\"cordoned\":true", ",\"unhealthy\":\"Xid 79\""));
        cluster.node("n2", inventory("b", "", ""));
        cluster.node("cpu-only", null);
        cluster.node("broken", "{");
    }

    @Test
    void theClusterIsToldInNumbersThatAddUp() throws Exception {
        for (int pod = 1; pod <= 2; pod++) {
            api.pod("p" + pod, "uid-p" + pod, FOUR);
            assertThat(extender.bind("p" + pod, "uid-p" + pod, "n1")).isEmpty();
        }
        api.pod("whole", "uid-whole", ONE_CARD);
        assertThat(extender.bind("whole", "uid-whole", "n2")).isEmpty();
        assertThat(extender.bind("none", "uid-none", "n2")).isNotEmpty();
        api.pod("big", "uid-big", new JsonObject().put("aliyun.com/gpu-mem", "11"));
        api.refused("big");
        api.pod("three", "uid-three", new JsonObject().put("aliyun.com/gpu-count", "3"));
        api.refused("three");
        api.pod("odd", "uid-odd", new JsonObject().put("aliyun.com/gpu-mem", "1.5"));
        api.refused("odd");
        await().until(() -> metrics().contains("why=\"impossible\"} 2.0"));
        await().until(() -> metrics().contains("standing=\"seen\"} 3.0"));

        String text = metrics();

        assertThat(text.lines())
                .contains(
                        "gpushare_cluster_cards{model=\"Tesla T4\",state=\"idle\"} 1.0",
                        "gpushare_cluster_cards{model=\"Tesla T4\",state=\"shared\"} 1.0",
                        "gpushare_cluster_cards{model=\"Tesla T4\",state=\"whole\"} 1.0",
                        "gpushare_cluster_cards{model=\"Tesla T4\",state=\"cordoned\"} 1.0",
                        "gpushare_cluster_cards{model=\"Tesla T4\",state=\"unhealthy\"} 1.0",
                        "gpushare_cluster_cards{model=\"Tesla T4\",state=\"overcommitted\"} 0.0",
                        "gpushare_cluster_memory_capacity_bytes{model=\"Tesla T4\"} " + 5 * 10.5 * (1L << 30),
                        "gpushare_cluster_memory_allocated_bytes{model=\"Tesla T4\"} " + (8 + 10.5) * (1L << 30),
                        "gpushare_cluster_memory_free_bytes{model=\"Tesla T4\"} " + 12.0 * (1L << 30),
                        "gpushare_node_memory_capacity_bytes{node=\"n1\"} " + 3 * 10.5 * (1L << 30),
                        "gpushare_node_memory_allocated_bytes{node=\"n2\"} " + 10.5 * (1L << 30),
                        "gpushare_extender_ledger_nodes{state=\"usable\"} 2.0",
                        "gpushare_extender_ledger_nodes{state=\"no_inventory\"} 1.0",
                        "gpushare_extender_ledger_nodes{state=\"bad_inventory\"} 1.0",
                        "gpushare_extender_ledger_nodes{state=\"unknown_node\"} 0.0",
                        "gpushare_extender_leader 1.0",
                        "gpushare_extender_ready 1.0",
                        "gpushare_extender_waiting_pods{why=\"fragmented\"} 0.0",
                        "gpushare_extender_waiting_pods{why=\"invalid\"} 1.0",
                        "gpushare_extender_binds_total{outcome=\"bound\"} 3.0",
                        "gpushare_extender_binds_total{outcome=\"no_pod\"} 1.0",
                        "gpushare_extender_binds_total{outcome=\"unknown\"} 0.0",
                        "gpushare_extender_build_info{version=\"0.0.0-test\"} 1",
                        "gpushare_extender_request_duration_seconds_count{verb=\"bind\"} 4",
                        "gpushare_extender_events_lost_total 0.0");
        // Five pods came: of 4 units, 4, a card, 11, and three cards. On the shared card 2 units are free.
        assertThat(text)
                .contains("gpushare_cluster_memory_wasted_bytes{model=\"Tesla T4\"} " + 2.0 * (1L << 30) + "\n")
                .contains("gpushare_cluster_memory_fragmented_bytes{model=\"Tesla T4\"} "
                        + (2.0 * 1 + 10.0 * 2 / 5) * (1L << 30));
        double heard = text.lines()
                .filter(line ->
                        line.startsWith("gpushare_extender_informer_heard_timestamp_seconds{resource=\"pods\"}"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
        assertThat(System.currentTimeMillis() / 1e3 - heard)
                .isBetween(-1.0, (double) Patience.of(Patience.USUAL).toSeconds());
    }

    @Test
    void filterCountsTheNodesByWhatItSaysOfThem() throws Exception {
        extender.post("filter", """
            {"Pod":{"metadata":{"name":"asked","namespace":"default","uid":"uid-asked"},
            "spec":{"containers":[{"name":"main","resources":{"limits":{"aliyun.com/gpu-mem":"1"}}}]}},
            "NodeNames":["n1","n2","cpu-only","broken","gone"]}\
            """);

        assertThat(metrics().lines())
                .contains(
                        "gpushare_extender_filters_total{outcome=\"node\"} 1.0",
                        "gpushare_extender_filtered_nodes_total{outcome=\"feasible\"} 1.0",
                        "gpushare_extender_filtered_nodes_total{outcome=\"not_chosen\"} 1.0",
                        "gpushare_extender_filtered_nodes_total{outcome=\"no_inventory\"} 1.0",
                        "gpushare_extender_filtered_nodes_total{outcome=\"bad_inventory\"} 1.0",
                        "gpushare_extender_filtered_nodes_total{outcome=\"unknown_node\"} 1.0");
    }

    @Test
    void anOverUsedCardIsToldAsSuchAndItsMemoryOnce() throws Exception {
        String nine = "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-0\":9}}]}";
        for (String pod : List.of("a", "b")) {
            api.pod(pod, "uid-" + pod, new JsonObject().put("aliyun.com/gpu-mem", "9"));
            api.boundByOther(pod, "n1", Map.of("gpushare.io/allocation", nine));
        }
        await().until(() -> metrics().contains("state=\"overcommitted\"} 1.0"));
        assertThat(metrics()).contains("gpushare_node_memory_allocated_bytes{node=\"n1\"} " + 10.0 * (1L << 30));
    }

    @Test
    void modelsBeyondFiftyAreToldTogether() throws Exception {
        for (int i = 0; i < 60; i++) {
            String model = i < 2 ? "x".repeat(150) + i : "Model " + i;
            api.node("m" + i, inventory("m" + i, "").replace("Tesla T4", model));
        }
        await().until(() -> metrics().contains("state=\"usable\"} 62.0"));
        List<String> capacity = metrics()
                .lines()
                .filter(line -> line.startsWith("gpushare_cluster_memory_capacity_bytes"))
                .toList();
        assertThat(capacity).hasSizeBetween(50, 51).allMatch(line -> line.length() < 180);
        double all = capacity.stream()
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
        assertThat(all).isEqualTo(65 * 10.5 * (1L << 30));
    }

    @Test
    void whoDoesNotAnswerTellsNothingOfTheCluster() throws Exception {
        assertThat(metrics()).contains("gpushare_cluster_cards");
        extender.resign();
        assertThat(metrics())
                .contains("gpushare_extender_ready 0.0", "gpushare_extender_ledger_nodes{state=\"usable\"} 2.0")
                .doesNotContain("gpushare_cluster_", "gpushare_node_", "gpushare_extender_waiting_pods");
    }

    @Test
    void manyAtATimeAreAllAnswered() {
        HttpRequest request = extender.request("/metrics").GET().build();
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(extender.sendLater(request));
        }
        assertThat(answers)
                .extracting(CompletableFuture::join)
                .allSatisfy(answer -> assertThat(answer.body()).contains("gpushare_cluster_cards"));
    }

    private String metrics() throws Exception {
        HttpResponse<String> answer = extender.get("/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain; version=0.0.4");
        assertThat(MetricTable.differences(answer.body())).isEmpty();
        return answer.body();
    }

    /** Cards of 10.5 GiB with this beside each one's facts. */
    private static String inventory(String name, String... facts) {
        return IntStream.range(0, facts.length)
                .mapToObj(i -> "{\"uuid\":\"GPU-" + name + i + "\",\"index\":" + i + ",\"minor\":" + i
                        + ",\"model\":\"Tesla T4\",\"memoryMiB\":10752" + facts[i] + "}")
                .collect(Collectors.joining(",", "{\"version\":1,\"unitMiB\":1024,\"cards\":[", "]}"));
    }
}
