package io.gpushare.plugin.allocate.kubelet;

import static io.gpushare.model.request.ResourceNames.DEFAULT;
import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.KubeletOptions;
import io.gpushare.simulated.kubelet.MovableClock;
import io.gpushare.simulated.kubelet.PluginServer;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another plugin of the memory resource, which registers once as gpushare's does, comes and goes beside this one. */
class TwoPluginsIT {
    private static final String MEMORY = DEFAULT.memory();
    private static final String GPUSHARE = "aliyungpushare.sock";
    private static final int OURS = 7;
    private static final int THEIRS = 5;
    private static final int STEPS = 14;

    private final SimulatedApiServer api = SimulatedApiServer.start();
    private final ApiClient cluster = new ApiClient(api.uri());
    private final MovableClock clock = new MovableClock();
    private final DomainSockets sockets = new DomainSockets();
    private final Path dir = directory();

    @SuppressWarnings("NullAway.Init")
    private SimulatedKubelet kubelet;

    private @Nullable KubeletConnection ours;
    private @Nullable PluginServer theirs;
    private volatile Optional<String> other = Optional.empty();
    private boolean served;
    private boolean cutOff;
    private int pods;

    private static Path directory() {
        try {
            return Files.createTempDirectory(Path.of("/tmp"), "t");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void kubelet(KubeletVersion version) {
        KubeletOptions options = new KubeletOptions("n1", dir, Map.of(), Duration.ofMillis(100), version, 1);
        kubelet = SimulatedKubelet.start(options, api.uri(), clock);
        await().until(() -> cluster.get("/api/v1/nodes/n1").succeeded());
    }

    @AfterEach
    void end() {
        stopOurs();
        stopTheirs();
        kubelet.close();
        sockets.close();
        cluster.close();
        api.close();
    }

    /** The order of the fault: the other one restarts, this one takes the gap, the other one registers over it. */
    @ParameterizedTest
    @EnumSource
    void aPluginThatRegistersOverThisOneServesAloneAndThisOneServesAgainWhenItHasGone(KubeletVersion version)
            throws Exception {
        kubelet(version);
        startOurs();
        awaitRunning(OURS);

        startTheirs(GPUSHARE);

        await().until(() -> other.isPresent());
        assertThat(other.get()).contains(GPUSHARE);
        assertThat(connection().watched()).isFalse();
        // A change of this plugin's devices must not replace those of the one that serves.
        connection().offer(devices(3));
        clock.pass(Duration.ofMinutes(6));
        await().during(Duration.ofSeconds(1)).until(() -> kubelet.allocatable(MEMORY) == THEIRS);
        runsWith("their");

        stopTheirs();

        awaitRunning(3);
        runsWith("our");
        assertThat(other).isEmpty();
        clock.pass(Duration.ofMinutes(6));
        await().during(Duration.ofSeconds(1)).until(() -> kubelet.allocatable(MEMORY) == 3);
    }

    /** Nobody knows its socket: the kubelet's record of its devices tells, and the node's status when it has gone. */
    @ParameterizedTest
    @EnumSource
    void aPluginOfAnUnknownSocketIsSeenByTheDevicesThatTheKubeletHasRecorded(KubeletVersion version) throws Exception {
        kubelet(version);
        startOurs();
        awaitRunning(OURS);

        startTheirs("vendor.sock");
        await().until(() -> allocatable() == THEIRS);
        passUntil(() -> other.isPresent());
        assertThat(other.get()).contains("the kubelet allocates its devices of [" + MEMORY + "]");
        clock.pass(Duration.ofMinutes(11));
        await().during(Duration.ofSeconds(2)).until(() -> kubelet.allocatable(MEMORY) == THEIRS);
        assertThat(other).isPresent();
        runsWith("their");

        stopTheirs();
        await().until(() -> allocatable() == 0);
        passUntil(() -> kubelet.allocatable(MEMORY) == OURS && other.isEmpty());
        runsWith("our");
    }

    /** It came and went between two looks at the sockets: the stream of this one is open, and nobody serves. */
    @ParameterizedTest
    @EnumSource
    void aKubeletThatNoLongerListsTheDevicesOfThisPluginGetsThemAgain(KubeletVersion version) throws Exception {
        kubelet(version);
        startOurs();
        awaitRunning(OURS);

        startTheirs("vendor.sock");
        stopTheirs();
        await().until(() -> allocatable() == 0);

        passUntil(() -> kubelet.allocatable(MEMORY) == OURS);
        runsWith("our");
    }

    /** Each of the two starts, restarts and ends in every order: one serves, or this one says why it does not. */
    @ParameterizedTest
    @EnumSource
    void inEveryOrderOfStartRestartAndEndOneServes(KubeletVersion version) throws Exception {
        kubelet(version);
        Random random = new Random(version.name().hashCode());
        for (int step = 0; step < STEPS; step++) {
            boolean restart = random.nextInt(3) == 0;
            if (random.nextBoolean()) {
                boolean ran = ours != null;
                // A fault of these kubelets: the end of the former stream disconnects the other one, which can't know.
                cutOff |= version == KubeletVersion.V1_36 && served && theirs != null;
                stopOurs();
                if (restart || !ran) {
                    startOurs();
                }
            } else {
                boolean ran = theirs != null;
                stopTheirs();
                if (restart || !ran) {
                    startTheirs(GPUSHARE);
                }
            }
            check(step + ": ours " + (ours != null) + ", theirs " + (theirs != null));
        }
    }

    private void check(String when) throws Exception {
        if (theirs != null) {
            if (ours != null) {
                await().alias(when)
                        .until(() -> other.isPresent() && !connection().watched());
            }
            if (cutOff) {
                await().alias(when).until(() -> kubelet.allocatable(MEMORY) == 0);
            } else {
                // Its list comes after its registration; until then no scheduler binds pods.
                await().alias(when).until(() -> kubelet.allocatable(MEMORY) == THEIRS);
                runsWith("their");
            }
        } else if (ours != null) {
            await().alias(when).until(() -> connection().watched() && kubelet.allocatable(MEMORY) == OURS);
            runsWith("our");
            served = true;
        } else {
            await().alias(when).until(() -> kubelet.allocatable(MEMORY) == 0);
        }
    }

    private void awaitRunning(int devices) {
        await().until(() -> connection().watched() && kubelet.allocatable(MEMORY) == devices);
    }

    /** Lets time pass until the condition holds; between two looks, the programs see what it changes. */
    private void passUntil(Callable<Boolean> condition) {
        await().pollInterval(Duration.ofSeconds(1)).until(() -> {
            clock.pass(Duration.ofSeconds(20));
            return condition.call();
        });
    }

    private KubeletConnection connection() {
        return Objects.requireNonNull(ours);
    }

    private void startOurs() {
        KubeletConnection started = new KubeletConnection(
                dir.resolve("device-plugins"), DEFAULT, new Answers(), new Hears(), this::status, sockets, clock);
        started.offer(devices(OURS));
        ours = started.start();
    }

    private void stopOurs() {
        if (ours != null) {
            ours.close();
            ours = null;
            served = false;
            other = Optional.empty();
        }
    }

    private void startTheirs(String socket) throws IOException {
        theirs = new PluginServer(
                dir,
                socket,
                MEMORY,
                IntStream.range(0, THEIRS).mapToObj(i -> "their-" + i).toList(),
                _ -> Map.of("BY", "their"));
        cutOff = false;
    }

    private void stopTheirs() {
        if (theirs != null) {
            theirs.close();
            theirs = null;
        }
    }

    static DeviceLists devices(int memory) {
        return new DeviceLists(Map.of(
                DeviceResource.MEMORY,
                IntStream.range(0, memory)
                        .mapToObj(i -> new Offered("our-" + i, true))
                        .toList(),
                DeviceResource.CARDS,
                List.of(new Offered("our-card", true))));
    }

    /** A pod that arrives now runs with devices of that plugin. */
    private void runsWith(String plugin) throws Exception {
        String name = "p" + pods++;
        ObjectNode pod = ApiClient.document("""
            {"metadata":{"name":"%s"},"spec":{"nodeName":"n1","containers":[
             {"name":"c","resources":{"limits":{"%s":"1"}}}]}}\
            """.formatted(name, MEMORY));
        cluster.post("/api/v1/namespaces/default/pods", pod);
        await().until(() -> !phase(name).isEmpty() && !phase(name).equals("Pending"));
        assertThat(phase(name)).isEqualTo("Running");
        assertThat(kubelet.environment("default", name, "c").get("BY")).isEqualTo(plugin);
        cluster.delete("/api/v1/namespaces/default/pods/" + name, ApiClient.document("{\"gracePeriodSeconds\":0}"));
        await().until(() ->
                !cluster.get("/api/v1/namespaces/default/pods/" + name).succeeded());
    }

    private String phase(String pod) throws Exception {
        return cluster.get("/api/v1/namespaces/default/pods/" + pod)
                .document()
                .at("/status/phase")
                .asText();
    }

    private int allocatable() {
        return Integer.parseInt(status().getOrDefault(MEMORY, "0"));
    }

    private Map<String, String> status() {
        try {
            Map<String, String> status = new HashMap<>();
            cluster.get("/api/v1/nodes/n1")
                    .document()
                    .at("/status/allocatable")
                    .propertyStream()
                    .forEach(each -> status.put(each.getKey(), each.getValue().asText()));
            return status;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Serves containers, and says so in their environment. */
    static final class Answers implements CallHandler {
        @Override
        public List<String> preferred(
                DeviceResource resource, List<String> available, List<String> mustInclude, int size) {
            return List.of();
        }

        @Override
        public boolean gatesStart() {
            return false;
        }

        @Override
        public Optional<String> start(DeviceResource resource, List<String> ids) {
            return Optional.empty();
        }

        @Override
        public Outcome<ContainerAllocateResponse> allocate(DeviceResource resource, List<String> ids) {
            return new Outcome.Of<>(
                    ContainerAllocateResponse.newBuilder().putEnvs("BY", "our").build());
        }
    }

    private final class Hears extends Silent {
        @Override
        public void otherServes(Optional<String> who) {
            other = who;
        }
    }
}
