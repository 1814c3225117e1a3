package io.gpushare.plugin.processes;

import io.gpushare.plugin.usage.Cgroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/** The node's processes, as its proc file system shows them. */
public final class ProcessTable {
    private static final Path OWN = Path.of("/proc");

    private final Path proc;

    /** @param proc where the node's proc file system is mounted */
    public ProcessTable(Path proc) {
        this.proc = Objects.requireNonNull(proc);
    }

    /**
     * Whether the processes of this container are all that can be seen: a program in a PID namespace of its own, as a pod
     * without {@code hostPID} has it, is process 1 there.
     */
    public boolean ownOnly() {
        return proc.equals(OWN) && ProcessHandle.current().pid() == 1;
    }

    /** Where that process is; empty when it is not to be seen. */
    public Optional<Cgroup> cgroup(long pid) {
        try {
            return Optional.of(Cgroup.parse(Files.readAllLines(
                    proc.resolve(Long.toString(pid)).resolve("cgroup"), StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
