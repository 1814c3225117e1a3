package io.gpushare.mps.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The control daemon of one card, as a child of this process, with its server as its own child. */
public final class ControlDaemon {
    private static final Logger LOG = LoggerFactory.getLogger(ControlDaemon.class);
    private static final int MULTI_USER_TRIAL_MILLIS = 500;
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final ControlProgram program;
    private final String uuid;
    private final Path logs;
    private @Nullable Process process;
    /** Whether the program knows -M; null until it was tried. Versions 535 and 550 take it for a client's flag, and end. */
    private @Nullable Boolean multiUser;

    /** @param logs an existing directory for the daemon's log */
    public ControlDaemon(ControlProgram program, String uuid, Path logs) {
        this.program = program;
        this.uuid = uuid;
        this.logs = logs;
    }

    public boolean alive() {
        return process != null && process.isAlive();
    }

    /** Whether clients of different users are served at once; false before the first start. */
    public boolean multiUser() {
        return Boolean.TRUE.equals(multiUser);
    }

    /** The daemon's log since its last start. */
    public Path log() {
        return logs.resolve("control.log");
    }

    /** Starts it in the foreground, for the users of one ID only if the program can't do more. */
    public void start() throws IOException, InterruptedException {
        if (!Boolean.FALSE.equals(multiUser)) {
            Process trial = launch("-f", "-M");
            if (!trial.waitFor(MULTI_USER_TRIAL_MILLIS, TimeUnit.MILLISECONDS) || multiUser()) {
                multiUser = true;
                process = trial;
                return;
            }
            multiUser = false;
            LOG.info(
                    "card {}: {} has no multi-user mode, so processes of one user ID compute at a time",
                    uuid,
                    program.program());
        }
        process = launch("-f");
    }

    private Process launch(String... flags) throws IOException {
        if (Files.exists(log())) {
            Files.move(log(), logs.resolve("control.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        String[] command = new String[flags.length + 1];
        command[0] = program.program().toString();
        System.arraycopy(flags, 0, command, 1, flags.length);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(log().toFile());
        builder.environment().put("CUDA_VISIBLE_DEVICES", uuid);
        builder.environment().put(ControlProgram.PIPE_VARIABLE, program.pipe().toString());
        builder.environment().put("CUDA_MPS_LOG_DIRECTORY", logs.toString());
        return builder.start();
    }

    /**
     * Ends the daemon and the servers under it, and, without one of ours, the daemon of an earlier supervisor. It waits until
     * they are gone: the next supervisor would take a server without a daemon for a foreign program.
     */
    public void kill() throws IOException, InterruptedException {
        Optional<ProcessHandle> daemon = process != null ? Optional.of(process.toHandle()) : earlier();
        if (daemon.isPresent()) {
            List<ProcessHandle> all =
                    Stream.concat(daemon.get().descendants(), daemon.stream()).toList();
            all.forEach(ProcessHandle::destroyForcibly);
            long end = System.nanoTime() + END_LIMIT.toNanos();
            while (all.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }

    /** The process in the daemon's own file, which also stays when it was killed. */
    private Optional<ProcessHandle> earlier() throws IOException {
        Path file = program.pipe().resolve("nvidia-cuda-mps-control.pid");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        String pid = Files.readString(file).strip();
        return pid.matches("[0-9]{1,9}")
                ? ProcessHandle.of(Long.parseLong(pid))
                        .filter(found -> found.info()
                                .command()
                                .map(command -> command.endsWith(ControlProgram.NAME))
                                .orElse(false))
                : Optional.empty();
    }
}
