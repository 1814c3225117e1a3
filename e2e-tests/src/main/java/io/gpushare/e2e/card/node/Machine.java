package io.gpushare.e2e.card.node;

import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.CardUtilization;
import io.gpushare.nvml.ComputeMode;
import io.gpushare.nvml.DriverFacts;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.process.CardProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The machine, its first card, and the programs that the parts start on it.
 *
 * @param pack the folder of the unpacked pack
 * @param work an empty folder with a short name, which every user can enter
 * @param logs the folder for the programs' logs
 * @param keepSettings whether the card's compute mode stays as it is
 * @param measureMillis how long one measurement takes
 * @param hamiCore HAMi-core's library; null without one
 * @param mode the card's compute mode before the run
 */
public record Machine(
        Path pack,
        Path work,
        Path logs,
        boolean keepSettings,
        int measureMillis,
        @Nullable Path hamiCore,
        Nvml nvml,
        DriverFacts driver,
        CardFacts card,
        ComputeMode mode) {
    public static final long MIB = 1L << 20;

    private static final long COMMAND_SECONDS = 60;

    public static Machine find(
            Path pack,
            Path work,
            Path logs,
            boolean keepSettings,
            int measureMillis,
            @Nullable Path hamiCore,
            Nvml nvml)
            throws NvmlException {
        for (CardReading reading : nvml.cards()) {
            if (reading instanceof CardReading.Present present) {
                CardFacts card = present.facts();
                ComputeMode mode = nvml.computeMode(card.uuid());
                return new Machine(
                        pack, work, logs, keepSettings, measureMillis, hamiCore, nvml, nvml.driver(), card, mode);
            }
        }
        throw new NvmlException.DriverMissing("the driver has no card that responds", true, new IOException("no card"));
    }

    public String uuid() {
        return card.uuid();
    }

    /** The facts that the report begins with. */
    public Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", Instant.now().toString());
        facts.put("card", card.model().orElse("unknown") + ", " + totalMib() + " MiB, " + uuid());
        facts.put("driver", driverVersion() + ", CUDA " + driver.cuda().orElse("unknown"));
        facts.put("kernel", System.getProperty("os.version"));
        facts.put("cgroups", cgroups().map(mount -> "version 2 at " + mount).orElse("not version 2"));
        facts.put("compute mode before", mode.toString());
        facts.put(
                "MIG",
                card.mig().map(mig -> mig.enabled() ? "enabled" : "disabled").orElse("none"));
        Stream<String> programs = Stream.of("nvidia-smi", "nvidia-cuda-mps-control", "nvcc");
        facts.put(
                "programs",
                programs.filter(each -> find(each).isPresent()).toList().toString());
        facts.put("settings", keepSettings ? "kept: the supervisor's NVML only remembers the compute mode" : "changed");
        return facts;
    }

    /** The program of that name on the PATH. */
    public static Optional<Path> find(String program) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The mount of version 2, alone or beside version 1. */
    public static Optional<Path> cgroups() {
        return Stream.of(Path.of("/sys/fs/cgroup"), Path.of("/sys/fs/cgroup/unified"))
                .filter(mount -> Files.exists(mount.resolve("cgroup.controllers")))
                .findFirst();
    }

    public CardUtilization utilization() {
        try {
            return nvml.utilization(uuid(), Instant.EPOCH);
        } catch (NvmlException e) {
            throw new IllegalStateException(e);
        }
    }

    public List<CardProcess> processes() {
        return utilization().processes().orElse(List.of());
    }

    public String driverVersion() {
        return driver.version().orElse("unknown");
    }

    public long totalMib() {
        return card.memoryTotalBytes().orElse(0) / MIB;
    }

    /** The card's memory in use. */
    public long usedMib() {
        return utilization().memoryUsedBytes().orElse(0) / MIB;
    }

    /** The memory of a process on the card in MiB, as NVML reports it; 0 if it is not there. */
    public long memoryMib(long pid) {
        return processes().stream()
                .filter(process -> process.pid() == pid)
                .mapToLong(process -> process.memoryUsedBytes().orElse(0) / MIB)
                .sum();
    }

    /** Starts one of our programs from the pack, with the runtime of this program; the log has the name of the part. */
    public Program start(String name, List<String> arguments) throws IOException {
        Path log = logs.resolve(Thread.currentThread().getName() + "-" + name + ".log");
        return Program.start(name, pack.resolve("device-plugin") + "/*", 64, arguments, Map.of(), log);
    }

    /** The variables of a program without MPS that sees the card. */
    public Map<String, String> withoutMps() {
        String nowhere = work.resolve("no-mps").toString();
        return Map.of("CUDA_VISIBLE_DEVICES", uuid(), "CUDA_MPS_PIPE_DIRECTORY", nowhere);
    }

    /** Starts the tenant as a program without MPS that sees the card. */
    public Tenant tenant(String... arguments) throws IOException {
        return Tenant.start(this, withoutMps(), arguments);
    }

    /** Compiles the kernels of tenants, once, by nvcc where that is on the machine. */
    public void kernels() throws SkippedException, IOException, InterruptedException {
        if (Files.exists(compiledKernels())) {
            return;
        }
        if (find("nvcc").isEmpty()) {
            throw new SkippedException("nvcc is missing, which compiles the kernels");
        }
        String compute = card.compute().map(Object::toString).orElse("7.0");
        String source = pack.resolve("native/kernels.cu").toString();
        String architecture = "-arch=sm_" + compute.replace(".", "");
        output("nvcc", architecture, "-cubin", "-o", compiledKernels().toString(), source);
    }

    public Path compiledKernels() {
        return work.resolve("kernels.cubin");
    }

    /** The output of a program that must end with 0. */
    public static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + " failed: " + output.strip());
        }
        return output;
    }

    /** Gives the card its compute mode back; the state afterwards, as a sentence. */
    public String restore() {
        try {
            ComputeMode now = nvml.computeMode(uuid());
            if (!keepSettings && now != mode) {
                nvml.setComputeMode(uuid(), mode);
                now = nvml.computeMode(uuid());
            }
            return "compute mode " + now + ", before " + mode + "; "
                    + usedMib() + " MiB in use; processes: "
                    + processes();
        } catch (NvmlException | IllegalStateException e) {
            return "unknown: " + e.getMessage();
        }
    }
}
