package io.gpushare.mps.control;

import io.gpushare.mps.control.ControlProgram.Reply;
import io.gpushare.mps.machine.Observation.Daemon;
import io.gpushare.mps.machine.Observation.Server;
import io.gpushare.mps.machine.Observation.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks and tells the daemon of one card, in the words of the control program. */
public final class CardControl {
    /** The card in the daemon's view, which has one: old versions know cards by their number only. */
    private static final String CARD = "0";

    private static final Logger LOG = LoggerFactory.getLogger(CardControl.class);

    private final ControlProgram program;
    private final ControlDaemon daemon;

    public CardControl(ControlProgram program, ControlDaemon daemon) {
        this.program = program;
        this.daemon = daemon;
    }

    /** What the daemon says of itself and its server. */
    public record Seen(Daemon daemon, Optional<Server> server) {}

    /**
     * Asks for the state of the daemon and its server.
     *
     * @param roofMib the roof that is wanted; 0 for none
     */
    public Seen look(long roofMib) throws IOException, InterruptedException {
        return switch (program.ask("get_server_list")) {
            case Reply.NoDaemon _ -> new Seen(daemon.alive() ? Daemon.SILENT : Daemon.ABSENT, Optional.empty());
            case Reply.Silent _ -> new Seen(Daemon.SILENT, Optional.empty());
            case Reply.Answered(List<String> lines) -> {
                Optional<Long> server = numbers(lines).stream().findFirst();
                yield new Seen(Daemon.ANSWERING, server.isPresent() ? server(server.get(), roofMib) : Optional.empty());
            }
        };
    }

    private Optional<Server> server(long pid, long roofMib) throws IOException, InterruptedException {
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
                lines.stream().anyMatch(line -> roofMib > 0 && MemoryText.isPrintedFor(roofMib, line)),
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

    /** Sets the roof for servers to come, and of the one that runs. */
    public void setRoof(Optional<Server> server, long mib) throws IOException, InterruptedException {
        String amount = MemoryText.of(mib);
        program.ask("set_default_device_pinned_mem_limit " + CARD + " " + amount);
        if (server.isPresent()) {
            program.ask("set_device_pinned_mem_limit " + server.get().pid() + " " + CARD + " " + amount);
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

    /** Ends the contexts of that client; the others are not affected. */
    public void terminate(long server, long client) throws IOException, InterruptedException {
        Reply reply = program.ask("terminate_client " + server + " " + client);
        LOG.info("terminated client {} of server {}: {}", client, server, reply);
    }
}
