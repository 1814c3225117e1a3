package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The metrics endpoint: its content, and its callers. */
class MetricsIT extends WholeProgram {
    @Test
    void eventsAreCountedAndTheStateOfCardsIsReported() throws Exception {
        cards(CARD_A, CARD_B);
        run(METRICS, "--health-quiet-time=300s");
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(B, 3));
        list("p");
        allocate(MEMORY, preferred(MEMORY, 3));
        assertThatThrownBy(() -> allocate(CARDS, List.of(A))).hasMessageContaining("FAILED_PRECONDITION");
        api.pod("s", "Pending", Map.of(MEMORY, "1"), "");
        list("s");
        allocate(MEMORY, preferred(MEMORY, 1));
        await().until(() -> api.podPatches().size() == 1);
        api.pod("s", "Running", Map.of(MEMORY, "1"), memoryOn(B, 1));
        cards(CARD_A + " xid=94#1", CARD_B + " xid=79#1");
        await().until(() -> kubelet.healthy(MEMORY).stream().allMatch(id -> id.startsWith(A)));
        api.cordon(A);
        await().until(() -> metrics().contains("gpushare_card_cordoned{card=\"" + A + of("1")));
        kubelet.cancelStream(MEMORY);
        await().until(() -> kubelet.registrations().size() == 3);

        String text = metrics();

        assertThat(text.lines())
                .contains(
                        "gpushare_card_memory_capacity_bytes{card=\"" + A + of("1.610612736E10"),
                        "gpushare_card_memory_allocated_bytes{card=\"" + A + of("0"),
                        "gpushare_card_memory_allocated_bytes{card=\"" + B + of("4.294967296E9"),
                        "gpushare_card_taken_whole{card=\"" + B + of("0"),
                        "gpushare_card_healthy{card=\"" + A + of("1"),
                        "gpushare_card_healthy{card=\"" + B + of("0"),
                        "gpushare_card_cordoned{card=\"" + B + of("0"),
                        "gpushare_card_xid_errors_total{card=\"" + A
                                + "\",model=\"Tesla T4\",remedy=\"restart_app\",xid=\"94\"} 1.0",
                        "gpushare_card_xid_errors_total{card=\"" + B
                                + "\",model=\"Tesla T4\",remedy=\"reboot_node\",xid=\"79\"} 1.0",
                        "gpushare_plugin_containers_identified_total{way=\"lacks_devices\"} 2.0",
                        "gpushare_plugin_containers_identified_total{way=\"demand_only\"} 0.0",
                        "gpushare_plugin_allocations_refused_total{reason=\"no_pod_waits\"} 1.0",
                        "gpushare_plugin_allocations_refused_total{reason=\"card_unhealthy\"} 0.0",
                        "gpushare_plugin_differences_found_total{kind=\"missing\"} 1.0",
                        "gpushare_plugin_differences_mended_total 1.0",
                        "gpushare_plugin_registrations_total{resource=\"aliyun.com/gpu-mem\"} 2.0",
                        "gpushare_plugin_registrations_total{resource=\"aliyun.com/gpu-count\"} 1.0",
                        "gpushare_plugin_call_duration_seconds_count{call=\"allocate\"} 3",
                        "gpushare_plugin_call_duration_seconds_count{call=\"get_preferred_allocation\"} 2");
        assertThat(text).doesNotContain("repeated_call\"} 1");
    }

    @Test
    void itIsReadyWhenTheKubeletWatchesEveryListAndServesNothingElse() throws Exception {
        kubelet.stop();
        cards(CARD_A);
        run(METRICS);
        await().until(() -> get("/readyz").statusCode() == 503);
        kubelet.start();
        await().until(() -> get("/readyz").statusCode() == 200);
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/metrics/../etc/passwd").statusCode()).isEqualTo(404);
        assertThat(raw("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{\"a\":\"b\"}"))
                .startsWith("HTTP/1.1 405");
        assertThat(raw("GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(1 << 20) + "\r\n\r\n"))
                .doesNotContain(" 200 ");
    }

    @Test
    void slowCallersDoNotBlockOthersForLong() throws Exception {
        cards(CARD_A);
        run(METRICS);
        metrics();
        List<Socket> slow = new ArrayList<>();
        try {
            URI server = URI.create(metricsUrl());
            for (int caller = 0; caller < 40; caller++) {
                Socket socket = new Socket(server.getHost(), server.getPort());
                socket.getOutputStream().write("GET /metr".getBytes(StandardCharsets.UTF_8));
                slow.add(socket);
            }
            await().ignoreExceptions().until(() -> !metrics().isEmpty());
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void connectionsBeyondTheLimitAreClosedAtOnceAndKeptOnesAreServed() throws Exception {
        cards(CARD_A);
        run(METRICS);
        metrics();
        List<Socket> idle = new ArrayList<>();
        try {
            URI server = URI.create(metricsUrl());
            for (int caller = 0; caller < 1000; caller++) {
                idle.add(new Socket(server.getHost(), server.getPort()));
            }
            // A connection that overflowed the accept queue is accepted when TCP repeats its handshake: after 1, 3, 7
            // or 15 s.
            idle.getLast().setSoTimeout(30_000);
            assertThat(idle.getLast().getInputStream().read()).isNegative();
            assertThat(metrics()).isNotEmpty();
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void anUnavailableAddressStopsItWithASentence() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            StartedProgram refused = run("--metrics-address=:" + taken.getLocalPort());
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(log()).contains("metrics can't be served on", "Address already in use");
        }
    }

    private static String of(String value) {
        return "\",model=\"Tesla T4\"} " + (value.contains("E") ? value : value + ".0");
    }

    private String raw(String request) throws IOException {
        URI server = URI.create(metricsUrl());
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            byte[] answer = new byte[1024];
            int length = socket.getInputStream().read(answer);
            return new String(answer, 0, Math.max(0, length), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "closed: " + e.getMessage();
        }
    }
}
