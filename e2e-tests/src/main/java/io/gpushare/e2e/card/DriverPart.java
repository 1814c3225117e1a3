package io.gpushare.e2e.card;

import io.gpushare.nvml.library.NvmlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The memory limits of cgroups in the driver, which 615 and newer have. */
final class DriverPart {
    private static final int FIRST_DRIVER = 615;
    private static final int LIMIT_MIB = 3072;
    private static final Path CGROUP = Path.of("/sys/fs/cgroup/gpushare-try");

    private DriverPart() {}

    static void run(Machine machine, Findings findings) throws Exception {
        String version = machine.driver().driverVersion();
        if (Integer.parseInt(version.substring(0, version.indexOf('.'))) < FIRST_DRIVER) {
            throw new Part.Skipped("driver " + version + " has no memory limits: they need 615 or newer");
        }
        if (machine.keepSettings() || !Files.exists(CGROUP.resolveSibling("cgroup.controllers"))) {
            throw new Part.Skipped("the card's settings are kept, or cgroups are not of version 2");
        }
        Files.createDirectories(CGROUP);
        try {
            limits(machine, findings);
        } finally {
            machine.nvml().removeMemoryLimit(machine.uuid(), CGROUP.toString());
            Files.delete(CGROUP);
        }
    }

    private static void limits(Machine machine, Findings findings) throws Exception {
        machine.nvml().limitMemory(machine.uuid(), CGROUP.toString(), LIMIT_MIB * Machine.MIB);
        findings.same(
                "the limit of " + LIMIT_MIB + " MiB is read back",
                LIMIT_MIB * Machine.MIB,
                machine.nvml().memoryLimit(machine.uuid(), CGROUP.toString()).orElse(0));
        try (Tenant full = tenant(machine, "fill")) {
            String filled = full.line(0);
            long mib = machine.memoryMib(full.pid());
            findings.check(
                    "a program gets that much and no more",
                    filled.contains("error 2 ") && mib > LIMIT_MIB - 4 && mib <= LIMIT_MIB,
                    mib + " MiB by NVML; " + filled);
            try (Tenant second = tenant(machine, "64")) {
                findings.check("a second program gets no memory", second.line(0).startsWith("error"), second.lines());
            }
            findings.figure("a limit below what is in use", result(machine));
        }
        if (Machine.find("setpriv").isPresent() && Machine.find("nvidia-smi").isPresent()) {
            String set = "nvidia-smi memory-limits -i " + machine.uuid() + " -n " + CGROUP
                    + " --soft-limit 2048 --hard-limit 2048 2>&1 || true";
            String[] command = {"setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "--", "sh", "-c", set};
            findings.figure("without SYS_ADMIN", Machine.output(command));
        }
    }

    private static Tenant tenant(Machine machine, String argument) throws IOException {
        List<String> inCgroup =
                List.of("sh", "-c", "echo $$ >" + CGROUP.resolve("cgroup.procs") + " && exec \"$0\" \"$@\"");
        return Tenant.start(machine, inCgroup, machine.withoutMps(), argument);
    }

    private static String result(Machine machine) {
        try {
            machine.nvml().limitMemory(machine.uuid(), CGROUP.toString(), LIMIT_MIB / 2 * Machine.MIB);
            return "is set";
        } catch (NvmlException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
