package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.SkippedException;
import io.gpushare.e2e.card.node.Tenant;
import io.gpushare.nvml.library.NvmlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The memory limits of cgroups in the driver, which 615 and newer have. */
record DriverPart(Machine machine, String cgroup, Findings findings) {
    private static final int FIRST_DRIVER = 615;
    private static final int LIMIT_MIB = 3072;

    static void run(Machine machine, Findings findings) throws Exception {
        String version = machine.driverVersion();
        if (Integer.parseInt(version.substring(0, version.indexOf('.'))) < FIRST_DRIVER) {
            throw new SkippedException("driver " + version + " has no memory limits: they need 615 or newer");
        }
        Optional<Path> mount = Machine.cgroups();
        if (machine.keepSettings() || mount.isEmpty()) {
            throw new SkippedException("the card's settings are kept, or there are no cgroups of version 2");
        }
        Path cgroup = Files.createDirectories(mount.get().resolve("gpushare-try"));
        try {
            new DriverPart(machine, cgroup.toString(), findings).run();
        } finally {
            machine.nvml().removeMemoryLimit(machine.uuid(), cgroup.toString());
            Files.delete(cgroup);
        }
    }

    private void run() throws Exception {
        machine.nvml().limitMemory(machine.uuid(), cgroup, LIMIT_MIB * Machine.MIB);
        findings.same(
                "the limit of " + LIMIT_MIB + " MiB is read back",
                LIMIT_MIB * Machine.MIB,
                machine.nvml().memoryLimit(machine.uuid(), cgroup).orElse(0));
        try (Tenant full = tenant("fill")) {
            String filled = full.line(0);
            long mib = machine.memoryMib(full.pid());
            findings.check(
                    "a program gets that much and no more",
                    filled.contains("error 2 ") && mib > LIMIT_MIB - 4 && mib <= LIMIT_MIB,
                    mib + " MiB by NVML; " + filled);
            try (Tenant second = tenant("64")) {
                findings.check("a second program gets no memory", second.line(0).startsWith("error"), second.lines());
            }
            findings.figure("a limit below what is in use", result());
        }
        if (Machine.find("setpriv").isPresent() && Machine.find("nvidia-smi").isPresent()) {
            String set = "nvidia-smi memory-limits -i " + machine.uuid() + " -n " + cgroup
                    + " --soft-limit 2048 --hard-limit 2048 2>&1 || true";
            String[] command = {"setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "--", "sh", "-c", set};
            findings.figure("without SYS_ADMIN", Machine.output(command));
        }
    }

    private Tenant tenant(String argument) throws IOException {
        Map<String, String> environment = new HashMap<>(machine.withoutMps());
        environment.put("GPUSHARE_SIMULATED_CGROUP", cgroup); // the simulated CUDA does not look for it
        return Tenant.start(machine, environment, "cgroup:" + cgroup, argument);
    }

    private String result() {
        try {
            machine.nvml().limitMemory(machine.uuid(), cgroup, LIMIT_MIB / 2 * Machine.MIB);
            return "is set";
        } catch (NvmlException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
