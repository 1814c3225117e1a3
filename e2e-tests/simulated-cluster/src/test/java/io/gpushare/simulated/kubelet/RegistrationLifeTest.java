package io.gpushare.simulated.kubelet;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the kubelet does with the resource of a plugin that ended, and with two plugins of one resource, by version. */
class RegistrationLifeTest {
    private static final String NODE = "/api/v1/nodes/n1";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final Duration GRACE = Duration.ofSeconds(301);

    private final SimulatedApiServer server = SimulatedApiServer.start();
    private final ApiClient cluster = new ApiClient(server.uri());
    private final MovableClock clock = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private KubeletOptions options;

    @SuppressWarnings("NullAway.Init")
    private SimulatedKubelet kubelet;

    private void start(KubeletVersion version) throws Exception {
        Path directory = Files.createTempDirectory(Path.of("/tmp"), "k");
        options = new KubeletOptions("n1", directory, Map.of(), Duration.ofMillis(50), version, 7);
        kubelet = SimulatedKubelet.start(options, server.uri(), clock);
        await().until(() -> cluster.get(NODE).succeeded());
    }

    @AfterEach
    void close() {
        kubelet.close();
        cluster.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void fiveMinutesAfterThePluginTheCapacityIsSetTo0OnceAndWhatOthersWriteThenStays(KubeletVersion version)
            throws Exception {
        start(version);
        register("p.sock").close();
        awaitStatus("5", "0");
        // Before, the kubelet writes what it knows.
        write("2");
        awaitStatus("5", "0");

        clock.pass(GRACE);
        awaitStatus("0", "0");
        write("2");

        await().during(Duration.ofMillis(500)).until(() -> status("2", "2"));
        kubelet.restart();
        clock.pass(GRACE);
        await().during(Duration.ofMillis(500)).until(() -> status("2", "2"));
    }

    @ParameterizedTest
    @EnumSource
    void aRegistrationWithinTheFiveMinutesKeepsTheResource(KubeletVersion version) throws Exception {
        start(version);
        register("p.sock").close();
        awaitStatus("5", "0");
        try (PluginDouble _ = register("q.sock")) {
            clock.pass(GRACE);
            await().during(Duration.ofMillis(500)).until(() -> status("5", "4"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRestartedKubeletForgetsResourcesThatNobodyRegistersAgain(KubeletVersion version) throws Exception {
        start(version);
        try (PluginDouble _ = register("p.sock")) {
            kubelet.restart();
            awaitStatus("0", "0");
            write("2");
            awaitStatus("0", "0");
            clock.pass(GRACE);
            awaitStatus("0", "0");
            write("2");
            await().during(Duration.ofMillis(500)).until(() -> status("2", "2"));
        }
    }

    /** Kubelets of 1.25 to 1.36 do so (kubernetes#121994), which is why a plugin must watch its stream. */
    @ParameterizedTest
    @EnumSource
    void theEndOfAnOlderPluginsStreamDisconnectsTheNewerPluginSince125(KubeletVersion version) throws Exception {
        start(version);
        PluginDouble older = register("p.sock");
        try (PluginDouble newer = register("q.sock")) {
            create("first");
            await().until(() -> newer.allocated.size() == 1);
            assertThat(older.allocated).isEmpty();

            older.close();

            if (version == KubeletVersion.V1_36) {
                awaitStatus("5", "0");
            } else {
                await().during(Duration.ofMillis(500)).until(() -> status("5", "4"));
                create("second");
                await().until(() -> newer.allocated.size() == 2);
            }
        }
    }

    /** The older one has an open stream, and still nobody serves: it must register again. */
    @ParameterizedTest
    @EnumSource
    void anOlderPluginDoesNotComeBackWhenTheNewerOneEnds(KubeletVersion version) throws Exception {
        start(version);
        try (PluginDouble older = register("p.sock")) {
            register("q.sock").close();
            awaitStatus("5", "0");
            create("rejected");
            await().until(() -> phase("rejected").equals("Failed"));

            clock.pass(GRACE);

            awaitStatus("0", "0");
            assertThat(older.allocated).isEmpty();
        }
    }

    private PluginDouble register(String socket) throws IOException {
        PluginDouble plugin = new PluginDouble(options, socket);
        awaitStatus("5", "4");
        return plugin;
    }

    private void awaitStatus(String capacity, String allocatable) {
        await().alias(capacity + " and " + allocatable).until(() -> status(capacity, allocatable));
    }

    private boolean status(String capacity, String allocatable) throws Exception {
        var status = cluster.get(NODE).document().path("status");
        return status.path("capacity").path(PluginDouble.RESOURCE).asText().equals(capacity)
                && status.path("allocatable")
                        .path(PluginDouble.RESOURCE)
                        .asText()
                        .equals(allocatable);
    }

    /** As gpushare's device plugin writes its count. */
    private void write(String count) throws Exception {
        ObjectNode patch = ApiClient.document();
        patch.withObject("/status/capacity").put(PluginDouble.RESOURCE, count);
        patch.withObject("/status/allocatable").put(PluginDouble.RESOURCE, count);
        assertThat(cluster.patch(NODE + "/status", patch).succeeded()).isTrue();
    }

    private void create(String name) throws Exception {
        cluster.post(PODS, ApiClient.document("""
            {"metadata":{"name":"%s"},"spec":{"nodeName":"n1","containers":[
             {"name":"c","resources":{"limits":{"%s":"1"}}}]}}\
            """.formatted(name, PluginDouble.RESOURCE)));
    }

    private String phase(String pod) throws Exception {
        return cluster.get(PODS + "/" + pod).document().at("/status/phase").asText();
    }
}
