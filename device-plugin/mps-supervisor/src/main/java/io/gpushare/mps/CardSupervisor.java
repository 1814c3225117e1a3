package io.gpushare.mps;

import io.gpushare.mps.control.CardControl;
import io.gpushare.mps.control.ControlDaemon;
import io.gpushare.mps.control.ControlProgram;
import io.gpushare.mps.control.PipeDirectories;
import io.gpushare.mps.control.Terminations;
import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.CardWant;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import io.gpushare.mps.machine.Action;
import io.gpushare.mps.machine.CardMachine;
import io.gpushare.mps.machine.Observation;
import io.gpushare.mps.machine.Observation.Daemon;
import io.gpushare.mps.machine.Observation.Mode;
import io.gpushare.mps.machine.Observation.Server;
import io.gpushare.nvml.ComputeMode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.process.CardProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the machine of one card: looks, decides, acts and reports, on one thread. */
final class CardSupervisor {
    private static final Logger LOG = LoggerFactory.getLogger(CardSupervisor.class);
    private static final Duration STEADY = Duration.ofSeconds(2);

    private final String uuid;
    private final DriverCards driver;
    private final MpsDirectory directory;
    private final Path program;
    private final ControlDaemon daemon;
    private final CardControl control;
    private final InstantSource clock;
    private final Terminations terminations;
    private CardMachine machine;
    private CardWant want = CardWant.NOTHING;
    private Instant lastLook = Instant.EPOCH;
    private Optional<ProcessHandle> lastServer = Optional.empty();
    private boolean acted;
    private List<CardProcess> foreign = List.of();
    /** Also across restarts of the supervisor: a program may start while there is none. */
    private boolean guarded;

    CardSupervisor(
            String uuid,
            DriverCards driver,
            MpsDirectory directory,
            Function<PipeDirectories, ControlProgram> programs,
            InstantSource clock)
            throws IOException {
        this.uuid = uuid;
        this.driver = driver;
        this.directory = directory;
        this.clock = clock;
        directory.create(uuid);
        ControlProgram asked = programs.apply(new PipeDirectories(directory.daemon(uuid), directory.pipe(uuid)));
        program = asked.program();
        daemon = new ControlDaemon(asked, uuid, directory.log(uuid));
        control = new CardControl(asked, daemon);
        terminations = new Terminations(asked);
        guarded = directory.report(uuid).filter(CardReport::guarded).isPresent();
        machine = CardMachine.starting(clock.instant());
    }

    /**
     * One turn. It looks only if something is under way, the plugin wants something new, or two seconds have passed.
     */
    void turn() throws IOException, InterruptedException {
        CardWant now = directory.want(uuid).orElse(CardWant.NOTHING);
        Instant time = clock.instant();
        if (now.equals(want) && !acted && time.isBefore(lastLook.plus(STEADY))) {
            return;
        }
        want = now;
        lastLook = time;
        Observation seen = look(want.processLimitMib());
        CardMachine before = machine;
        CardMachine.Step step = machine.step(want.on(), seen, time);
        machine = step.next();
        if (machine.phase() != before.phase()) {
            LOG.info("card {}: {}{}", uuid, machine.phase(), machine.why().isEmpty() ? "" : " (" + machine.why() + ")");
        }
        seen.server()
                .map(Server::pid)
                .filter(pid -> !isLastServer(pid))
                .ifPresent(pid -> lastServer = daemon.server(pid));
        if (seen.daemon() == Daemon.ABSENT && !daemon.alive()) {
            // It may outlive its daemon for a moment, and has no clients that could be served again.
            lastServer.ifPresent(ProcessHandle::destroyForcibly);
        }
        if (seen.daemon() == Daemon.ANSWERING) {
            daemon.offer();
        }
        for (Action action : step.actions()) {
            act(action, seen.server());
        }
        boolean held = seen.mode() == Mode.NOT_AVAILABLE ? want.on() : seen.mode() != Mode.ANY;
        guarded = machine.phase() == Phase.READY || (guarded && held);
        acted = !step.actions().isEmpty() || machine.phase() != before.phase();
        terminations.serve(want.terminate(), seen.server());
        endBypassing();
        directory.write(uuid, report(seen));
    }

    private Observation look(long processLimitMib) throws IOException, InterruptedException {
        CardControl.DaemonState seen = Files.isExecutable(program)
                ? control.look(processLimitMib)
                : new CardControl.DaemonState(Daemon.ABSENT, Optional.empty());
        try {
            Mode mode = driver.mode(uuid);
            foreign = seen.daemon() == Daemon.ABSENT || mode == Mode.NOT_AVAILABLE ? foreign() : List.of();
            return new Observation(true, impossible(mode), mode, seen.daemon(), seen.server());
        } catch (NvmlException e) {
            LOG.debug("card {} does not respond", uuid, e);
            foreign = List.of();
            return new Observation(false, Optional.empty(), Mode.NONE, seen.daemon(), seen.server());
        }
    }

    private Optional<String> impossible(Mode mode) {
        if (!Files.isExecutable(program)) {
            return Optional.of("the program " + program + " is missing: it comes with NVIDIA's driver");
        }
        // On an instance MPS can start beside a program that is about to be ended.
        return foreign.stream()
                .filter(_ -> !guarded || mode != Mode.NOT_AVAILABLE)
                .findFirst()
                .map(process -> "process " + process.pid() + " computes on the card without MPS: end it");
    }

    private List<CardProcess> foreign() throws NvmlException {
        return driver.foreignProcesses(uuid).stream()
                .filter(process -> !isLastServer(process.pid())
                        && daemon.server(process.pid()).isEmpty())
                .filter(process -> ProcessHandle.of(process.pid())
                        .map(ProcessHandle::isAlive)
                        .orElse(true))
                .toList();
    }

    /**
     * The processes that began to compute without MPS since it was ready: on a card, where other programs were not
     * allowed since, the first one that finds no daemon; on a MIG instance any that does not use the daemon. Without a
     * list of clients a process may be one whose server has ended.
     */
    private List<Long> bypassing() {
        return foreign.stream()
                .filter(process -> guarded && process.mps().isPresent())
                .map(CardProcess::pid)
                .toList();
    }

    /** The control program can't: they are no clients. */
    private void endBypassing() {
        for (long pid : bypassing()) {
            if (want.terminate().contains(pid)) {
                LOG.info("card {}: process {}, which computes without MPS, is to be ended", uuid, pid);
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    /** Whether that is the last server, and not a later process of its PID. */
    private boolean isLastServer(long pid) {
        return lastServer
                .filter(server -> server.pid() == pid
                        && ProcessHandle.of(pid).map(server::equals).orElse(true))
                .isPresent();
    }

    private void act(Action action, Optional<Server> server) throws IOException, InterruptedException {
        try {
            switch (action) {
                case ALLOW_ANY -> driver.setMode(uuid, ComputeMode.DEFAULT);
                case ALLOW_SERVER_ONLY -> driver.setMode(uuid, ComputeMode.EXCLUSIVE_PROCESS);
                case ALLOW_NONE -> driver.setMode(uuid, ComputeMode.PROHIBITED);
                case START_DAEMON -> daemon.start();
                case SET_LIMIT -> control.setLimit(server, want.processLimitMib());
                case START_SERVER -> control.startServer();
                case END_SERVER -> {
                    if (server.isPresent()) {
                        control.endServer(server.get().pid());
                    }
                }
                case QUIT -> control.quit();
                case KILL -> daemon.kill();
            }
        } catch (NvmlException e) {
            LOG.warn("card {}: {} failed: {}", uuid, action, e.getMessage());
        }
    }

    private CardReport report(Observation seen) throws IOException {
        boolean served = machine.phase() == Phase.READY
                && seen.server().filter(Server::limited).isPresent();
        String problem = machine.why().isEmpty() && machine.phase() == Phase.OFF
                ? Files.isExecutable(program) ? "" : "the program " + program + " is missing"
                : machine.why();
        return new CardReport(
                want.sequence(),
                machine.phase(),
                served ? want.processLimitMib() : 0,
                problem,
                seen.server().map(Server::pid).orElse(0L),
                seen.server().map(Server::clients).orElse(0),
                machine.failures().size(),
                daemon.waiting(),
                guarded,
                bypassing());
    }

    /** Ends the daemon; the clients end with it. */
    void stop() throws IOException, InterruptedException {
        daemon.kill();
    }
}
