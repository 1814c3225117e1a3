package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpushare.mps.SupervisorMain;
import io.gpushare.mps.SupervisorProgram;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import io.gpushare.plugin.TestApiServer;
import io.gpushare.plugin.claims.WholeProgramWithClaims;
import io.gpushare.program.RunningProgram;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.program.Ends;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The whole program with the supervisor of MPS, and tenants of the cards. */
abstract class WholeProgramWithMps extends WholeProgramWithClaims {
    /** In the cgroups of all processes, as of static pods: their containers have IDs of their own. */
    static final String POD_UID = "0".repeat(32);

    /** For what takes a quiet machine several turns of the supervisor. */
    static final Duration LONG = Duration.ofMinutes(1);

    private static final String CORE_RESOURCE = "aliyun.com/gpu-core.percentage";

    final List<AutoCloseable> running = new ArrayList<>();
    Path mps;
    Path proc;

    @BeforeEach
    void prepare() throws IOException {
        mps = dir.resolve("mps");
        proc = Files.createDirectory(dir.resolve("proc"));
        script("");
    }

    @AfterEach
    void endPrograms() throws Exception {
        for (AutoCloseable each : running.reversed()) {
            each.close();
        }
        try (Stream<Path> served = Files.exists(mps) ? Files.list(mps) : Stream.empty()) {
            for (Path card : served.toList()) {
                daemon(String.valueOf(card.getFileName())).ifPresent(daemon -> {
                    daemon.descendants().forEach(ProcessHandle::destroyForcibly);
                    daemon.destroyForcibly();
                });
            }
        }
    }

    /** Starts the supervisor in this JVM. */
    StartedProgram supervisor(String... options) throws IOException {
        List<String> arguments = supervisorArguments(options);
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.putAll(simulation());
        return supervising(StartedProgram.inThisJvm(dir.resolve("supervisor.log"), () -> {
            RunningProgram program = SupervisorProgram.start(arguments, environment);
            return new Ends(program.exit(), program::terminate, program::fail);
        }));
    }

    /** Starts the supervisor as a process, where its own life is the point. */
    StartedProgram supervisorProcess(String... options) throws IOException {
        List<String> command = java(SupervisorMain.class);
        command.addAll(supervisorArguments(options));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(simulation());
        return supervising(StartedProgram.process(dir.resolve("supervisor.log"), builder));
    }

    private StartedProgram supervising(StartedProgram program) {
        running.add(program);
        return program;
    }

    private List<String> supervisorArguments(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--mps-dir=" + mps, "--nvml-library=" + driver()));
        arguments.addAll(
                options.length > 0
                        ? List.of(options)
                        : List.of("--mps-control-program=" + Tenant.programs().resolve("nvidia-cuda-mps-control")));
        return arguments;
    }

    /** What NVIDIA's simulated programs read. */
    private Map<String, String> simulation() {
        return Map.of(
                "GPUSHARE_SIMULATED_CARDS",
                dir.resolve("cards").toString(),
                "GPUSHARE_SIMULATED_MPS",
                dir.resolve("script").toString());
    }

    StartedProgram runMps(String... options) throws IOException {
        int registrations = kubelet.registrations().size();
        List<String> all = new ArrayList<>(List.of(options));
        all.add("--mps-dir=" + mps);
        all.add("--proc-dir=" + proc);
        StartedProgram plugin = run(all.toArray(String[]::new));
        await().until(() -> kubelet.registrations().size() >= registrations + 2);
        await().until(() -> api.patches().stream().anyMatch(patch -> patch.contains("\\\"isolation\\\":\\\"mps\\\"")));
        await().until(() -> kubelet.healthy(MEMORY).size() >= 14);
        return plugin;
    }

    Map<String, String> started(String pod, int gib) throws IOException {
        return started(pod, gib, A);
    }

    /** Admits a pod of that much memory, starts its container, and returns its environment. */
    Map<String, String> started(String pod, int gib, String card) throws IOException {
        return started(admitted(pod, gib, card), pod, gib, card);
    }

    Map<String, String> started(Admitted admitted, String pod, int gib, String card) {
        // As the kubelet does, again and again: a supervisor may be starting.
        await(LONG).ignoreExceptions().until(() -> {
            start(MEMORY, admitted.devices());
            return true;
        });
        api.pod(pod, "Running", Map.of(MEMORY, String.valueOf(gib)), memoryOn(card, gib));
        return environment(admitted);
    }

    /**
     * Restarts the plugin with that setting of cores for containers that request none. Nothing of it is remembered, so
     * a container of the same share must get the same cap again, and the inventory and metrics say what they said.
     */
    void capStaysAfterARestart(String cores, Supplier<String> card, int gib, String percentage) throws Exception {
        String[] options = {
            "--isolation=mps", "--mps-default-cores=" + cores, "--core-resource=" + CORE_RESOURCE, METRICS
        };
        supervisor();
        StartedProgram plugin = runMps(options);
        String on = card.get();
        Admitted before = admitted("before", gib, on);
        Map<String, String> environment = started(before, "before", gib, on);
        List<String> published = published();
        listRunning("before", MEMORY, before.devices());
        int patches = api.patches().size();

        plugin.kill();
        runMps(options);
        // The container starts again with the environment that the kubelet keeps.
        start(MEMORY, before.devices());
        Map<String, String> after = started("after", gib, on);
        await().until(() -> api.patches().size() > patches);
        assertThat(Optional.ofNullable(environment.get("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")))
                .isEqualTo(Optional.ofNullable(after.get("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")))
                .isEqualTo(Optional.of(percentage).filter(each -> !each.isEmpty()));
        await().until(() -> published().equals(published));
        // A cap takes nothing of the cores that can be requested.
        assertThat(published).anyMatch(each -> each.endsWith("} 0.0"));
        assertThat(published.stream().anyMatch(each -> each.contains("defaultCores")))
                .isEqualTo(!cores.equals("none"));
        assertThat(published).filteredOn(each -> each.contains("defaultCores")).allMatch(each -> each.contains(cores));
    }

    /** The setting in the inventory of each card, which the extender's inspect shows, and the metrics of cores. */
    private List<String> published() throws IOException, InterruptedException {
        Stream<String> inventory = Pattern.compile("defaultCores[^,}]*")
                .matcher(api.patches().stream()
                        .filter(patch -> patch.contains("\\\"isolation\\\":\\\"mps\\\""))
                        .toList()
                        .getLast())
                .results()
                .map(MatchResult::group);
        Stream<String> metrics = metrics().lines().filter(line -> line.startsWith("gpushare_card_cores_allocated"));
        return Stream.concat(inventory, metrics).toList();
    }

    static Map<String, String> environment(Admitted admitted) {
        // The container sees the directory at the default place; the tenant of this test at the node's.
        assertThat(admitted.response().getMounts(0).getContainerPath()).isEqualTo("/tmp/nvidia-mps");
        Map<String, String> environment = new HashMap<>(admitted.response().getEnvsMap());
        environment.put(
                "CUDA_MPS_PIPE_DIRECTORY", admitted.response().getMounts(0).getHostPath());
        return environment;
    }

    List<String> admit(String pod, int gib, String card) {
        return admitted(pod, gib, card).devices();
    }

    Admitted admitted(String pod, int gib, String card) {
        api.pod(pod, "Pending", Map.of(MEMORY, String.valueOf(gib)), memoryOn(card, gib));
        list(pod);
        List<String> devices = preferred(MEMORY, gib);
        return new Admitted(devices, response(MEMORY, devices));
    }

    record Admitted(List<String> devices, ContainerAllocateResponse response) {}

    void start(String resource, List<String> devices) {
        kubelet.calls(resource)
                .withDeadlineAfter(Patience.of(LONG))
                .preStartContainer(PreStartContainerRequest.newBuilder()
                        .addAllDevicesIds(devices)
                        .build());
    }

    Tenant tenant(Map<String, String> environment, int user, int... mib) throws IOException {
        return tenant(
                environment, user, IntStream.of(mib).mapToObj(String::valueOf).toArray(String[]::new));
    }

    Tenant tenant(Map<String, String> environment, int user, String... arguments) throws IOException {
        Tenant tenant = Tenant.start(dir, environment, user, arguments);
        running.add(tenant);
        return tenant;
    }

    /** Shows the tenant's process to the plugin as one of that pod's container. */
    Tenant inContainer(String pod, long startTime, Tenant tenant) throws IOException {
        Path process = Files.createDirectory(proc.resolve(String.valueOf(tenant.pid())));
        Files.writeString(
                process.resolve("cgroup"),
                "0::/kubepods/burstable/pod" + POD_UID + "/" + TestApiServer.containerId(pod) + "\n");
        Files.writeString(
                process.resolve("stat"),
                tenant.pid() + " (gpu eat) S 1 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 " + startTime + " 1 1\n");
        return tenant;
    }

    void script(String words) throws IOException {
        Path next = Files.writeString(dir.resolve("script.next"), words + "\n");
        Files.move(next, dir.resolve("script"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Waits until the supervisor has looked at the card so many times: it reports what it sees each time. */
    void awaitLooks(String card, int looks) throws IOException {
        Path state = mps.resolve(card).resolve("state");
        for (int look = 0; look < looks; look++) {
            Object before = Files.getAttribute(state, "unix:ctime");
            await().until(() -> !Files.getAttribute(state, "unix:ctime").equals(before));
        }
    }

    Phase phase(String card) throws IOException {
        return new MpsDirectory(mps).report(card).orElseThrow().phase();
    }

    /** A program that computes: one that comes while the last server ends does not. */
    Tenant computes(Map<String, String> environment) {
        return await().until(
                        () -> {
                            Tenant tenant = tenant(environment, 0, 1500);
                            await().until(() -> !tenant.lines().isEmpty());
                            return tenant.lines().equals(List.of("ok 1500"))
                                    ? Optional.of(tenant)
                                    : Optional.<Tenant>empty();
                        },
                        Optional<Tenant>::isPresent)
                .orElseThrow();
    }

    static void signal(StartedProgram process, String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    Optional<ProcessHandle> daemon(String card) throws IOException {
        Path file = mps.resolve(card).resolve("daemon/nvidia-cuda-mps-control.pid");
        return Files.exists(file)
                ? ProcessHandle.of(Long.parseLong(Files.readString(file)))
                        .filter(daemon -> daemon.info().command().orElse("").endsWith("nvidia-cuda-mps-control"))
                : Optional.empty();
    }
}
