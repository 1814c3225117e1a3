package io.gpushare.mps.control;

import io.gpushare.mps.control.ControlProgram.Reply;
import io.gpushare.mps.machine.Observation.Daemon;
import io.gpushare.mps.machine.Observation.Server;
import io.gpushare.mps.machine.Observation.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Questions and commands to the daemon of one card, in the words of the control program. */
public final class CardControl {
    /** The card in the daemon's view, which has one: old versions know cards by their number only. */
    private static final String CARD = "0";

    private final ControlProgram program;
    private final ControlDaemon daemon;
    private LastLimit last = new LastLimit(0, 0);

    public CardControl(ControlProgram program, ControlDaemon daemon) {
        this.program = program;
        this.daemon = daemon;
    }

    /** The limit that was last set, and the server where it was: what is read back is cut to whole G. */
    private record LastLimit(long server, long mib) {}

    /** What the daemon reports of itself and its server. */
    public record DaemonState(Daemon daemon, Optional<Server> server) {}

    /**
     * Reads the state of the daemon and its server.
     *
     * @param processLimitMib the process limit that is wanted; 0 for none
     */
    public DaemonState look(long processLimitMib) throws IOException, InterruptedException {
        // A node may have 56 cards, each looked at every other second: without a daemon ever, no program is started.
        Reply reply = program.pipe().mayHaveDaemon() ? program.ask("get_server_list") : new Reply.NoDaemon();
        return switch (reply) {
            case Reply.NoDaemon _ -> new DaemonState(daemon.alive() ? Daemon.SILENT : Daemon.ABSENT, Optional.empty());
            case Reply.Silent _ -> new DaemonState(Daemon.SILENT, Optional.empty());
            case Reply.Answered(List<String> lines) -> {
                Optional<Long> server = numbers(lines).stream().findFirst();
                if (server.isPresent() && daemon.server(server.get()).isEmpty()) {
                    // The daemon is not the supervisor's, or an earlier one's; or the server has just ended.
                    yield new DaemonState(Daemon.SILENT, Optional.empty());
                }
                yield new DaemonState(
                        Daemon.ANSWERING,
                        server.isPresent() ? server(server.get(), processLimitMib) : Optional.empty());
            }
        };
    }

    private Optional<Server> server(long pid, long processLimitMib) throws IOException, InterruptedException {
        Reply reply = program.ask(
                "get_server_status " + pid,
                "get_device_pinned_mem_limit " + pid + " " + CARD,
                "get_client_list " + pid);
        if (!(reply instanceof Reply.Answered(List<String> lines)) || lines.isEmpty()) {
            return Optional.empty();
        }
        String status = lines.getFirst();
        if (status.endsWith("not found")) {
            return Optional.empty(); // it has just ended
        }
        return Optional.of(new Server(
                pid,
                status(status),
                // Without a limit, or without clients, there is no line.
                processLimitMib > 0
                        && last.equals(new LastLimit(pid, processLimitMib))
                        && lines.stream().anyMatch(line -> MemoryText.isPrintedFor(processLimitMib, line)),
                numbers(lines).size()));
    }

    /** Versions before 550 don't know the question; a server that they list has been started. */
    private static Status status(String line) {
        return line.equals("FAULT") ? Status.FAULT : line.equals("INITIALIZING") ? Status.INITIALIZING : Status.ACTIVE;
    }

    private static List<Long> numbers(List<String> lines) {
        List<Long> numbers = new ArrayList<>();
        for (String line : lines) {
            if (line.strip().matches("[0-9]{1,9}")) {
                numbers.add(Long.parseLong(line.strip()));
            }
        }
        return numbers;
    }

    /** Sets the process limit for servers to come, and of the one that runs. */
    public void setLimit(Optional<Server> server, long mib) throws IOException, InterruptedException {
        String amount = MemoryText.of(mib);
        program.ask("set_default_device_pinned_mem_limit " + CARD + " " + amount);
        if (server.isPresent()) {
            long pid = server.get().pid();
            Reply reply = program.ask("set_device_pinned_mem_limit " + pid + " " + CARD + " " + amount);
            last = new LastLimit(pid, reply instanceof Reply.Answered ? mib : 0);
        }
    }

    /** Starts the server before a client comes: clients would find it not ready. */
    public void startServer() throws IOException, InterruptedException {
        program.ask("start_server -uid 0");
    }

    public void endServer(long server) throws IOException, InterruptedException {
        program.ask("shutdown_server " + server + " -f");
    }

    public void quit() throws IOException, InterruptedException {
        program.ask("quit");
    }
}
