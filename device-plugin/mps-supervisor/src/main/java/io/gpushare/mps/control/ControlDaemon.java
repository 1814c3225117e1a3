package io.gpushare.mps.control;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
    private static final String LOG_VARIABLE = "CUDA_MPS_LOG_DIRECTORY";
    private static final int MULTI_USER_TRIAL_MILLIS = 500;
    private static final int END_POLLS = 100;
    private static final int END_POLL_MILLIS = 20;
    private static final int LONGEST_ENVIRONMENT = 1 << 20;

    private final ControlProgram program;
    private final String uuid;
    private final Path logs;
    private @Nullable Process process;
    private DaemonLog log;
    private String offerProblem = "";
    /**
     * Whether the program knows -M; null until it was tried. Versions 535 and 550 take it for a client's flag, and end.
     */
    private @Nullable Boolean multiUser;

    /** @param logs an existing directory for the daemon's log */
    public ControlDaemon(ControlProgram program, String uuid, Path logs) {
        this.program = program;
        this.uuid = uuid;
        this.logs = logs;
        log = new DaemonLog(logs);
    }

    public boolean alive() {
        return process != null && process.isAlive();
    }

    /** Whether clients of different users are served at once; false before the first start. */
    public boolean multiUser() {
        return Boolean.TRUE.equals(multiUser);
    }

    /** The processes that wait until those of another user have ended. */
    public List<Long> waiting() {
        return alive() && !multiUser() ? log.waiting() : List.of();
    }

    /** The server under it with that PID, which another process may have later. */
    public Optional<ProcessHandle> server(long pid) {
        return Stream.ofNullable(process)
                .flatMap(Process::descendants)
                .filter(each -> each.pid() == pid)
                .findFirst();
    }

    /** Starts it in the foreground, for the users of one ID only if the program can't do more. */
    public void start() throws IOException, InterruptedException {
        if (!Boolean.FALSE.equals(multiUser)) {
            Process trial = launch("-f", "-M");
            if (!trial.waitFor(MULTI_USER_TRIAL_MILLIS, TimeUnit.MILLISECONDS) || multiUser()) {
                multiUser = true;
                return;
            }
            multiUser = false;
            LOG.info(
                    "card {}: {} has no multi-user mode, so processes of one user ID compute at a time",
                    uuid,
                    program.program());
        }
        launch("-f");
    }

    /** Lets clients connect, or says once why they can't; the daemon must answer. */
    public void offer() {
        Path clients = program.pipe().clients();
        try {
            if (program.pipe().offer()) {
                LOG.warn("card {}: a container had replaced the socket in {}; it is the daemon's again", uuid, clients);
            }
            offerProblem = "";
        } catch (IOException e) {
            if (!e.toString().equals(offerProblem)) {
                offerProblem = e.toString();
                LOG.warn("card {}: clients can't connect by {}: {}", uuid, clients, offerProblem);
            }
        }
    }

    private Process launch(String... flags) throws IOException {
        program.pipe().empty();
        ProcessBuilder builder = program.process(flags)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().put("CUDA_VISIBLE_DEVICES", uuid);
        builder.environment().put(LOG_VARIABLE, logs.toString());
        Process started = builder.start();
        process = started;
        log = new DaemonLog(logs);
        log.follow(started.getInputStream());
        Files.writeString(started(), String.valueOf(started.pid()));
        return started;
    }

    /** The PID of the daemon that was started last. Not every version of the daemon writes one of its own. */
    private Path started() {
        return logs.resolve("daemon.pid");
    }

    /**
     * Ends the daemon and the servers under it, and, without one of ours, the daemon of an earlier supervisor. It waits
     * until they are gone: the next supervisor would take a server without a daemon for a foreign program.
     */
    public void kill() throws IOException, InterruptedException {
        Optional<ProcessHandle> daemon = process != null ? Optional.of(process.toHandle()) : earlier();
        List<ProcessHandle> ending = daemon.stream()
                .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()))
                .toList();
        ending.forEach(ProcessHandle::destroyForcibly);
        for (int i = 0; i < END_POLLS && ending.stream().anyMatch(ProcessHandle::isAlive); i++) {
            TimeUnit.MILLISECONDS.sleep(END_POLL_MILLIS);
        }
    }

    private Optional<ProcessHandle> earlier() throws IOException {
        if (!Files.exists(started())) {
            return Optional.empty();
        }
        String pid = Files.readString(started()).strip();
        return pid.matches("[0-9]{1,9}")
                ? ProcessHandle.of(Long.parseLong(pid)).filter(this::isOfThisCard)
                : Optional.empty();
    }

    /** Whether it is no later process of the same PID. */
    private boolean isOfThisCard(ProcessHandle found) {
        if (found.info()
                .command()
                .filter(each -> each.endsWith(ControlProgram.NAME))
                .isEmpty()) {
            return false;
        }
        Path environment = Path.of("/proc", String.valueOf(found.pid()), "environ");
        try (InputStream content = Files.newInputStream(environment)) {
            String variables = new String(content.readNBytes(LONGEST_ENVIRONMENT), StandardCharsets.UTF_8);
            return Arrays.asList(variables.split("\0", -1)).contains(LOG_VARIABLE + "=" + logs);
        } catch (IOException e) {
            LOG.debug("{} can't be read", environment, e);
            return false;
        }
    }
}
