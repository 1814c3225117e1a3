package io.gpushare.plugin.monitor;

import io.gpushare.plugin.usage.Cgroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/** The node's processes, as its proc file system lists them. */
public final class ProcessTable {
    private static final Path OWN = Path.of("/proc");

    private final Path proc;

    /** @param proc where the node's proc file system is mounted */
    public ProcessTable(Path proc) {
        this.proc = Objects.requireNonNull(proc);
    }

    /**
     * Whether only the processes of this container are visible: in a PID namespace of its own, which a pod without {@code
     * hostPID} has, the program is process 1.
     */
    public boolean ownOnly() {
        return proc.equals(OWN) && ProcessHandle.current().pid() == 1;
    }

    /** The cgroup of that process; empty when the process is not visible. */
    public Optional<Cgroup> cgroup(long pid) {
        try {
            return Optional.of(Cgroup.parse(Files.readAllLines(
                    proc.resolve(Long.toString(pid)).resolve("cgroup"), StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
