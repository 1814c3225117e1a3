package io.gpushare.mps.control;

import io.gpushare.mps.control.ControlProgram.Reply;
import io.gpushare.mps.machine.Observation.Server;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clients of one card that are to be terminated, each of them until the daemon reports that it was done. */
public final class Terminations {
    private static final Logger LOG = LoggerFactory.getLogger(Terminations.class);

    private final ControlProgram program;
    private final Map<Long, Reply> replies = new HashMap<>();

    public Terminations(ControlProgram program) {
        this.program = program;
    }

    /** Ends the contexts of these clients of the server; its others are not affected. */
    public void serve(List<Long> wanted, Optional<Server> server) throws IOException, InterruptedException {
        replies.keySet().retainAll(wanted);
        if (server.isPresent()) {
            serve(wanted, server.get().pid());
        }
    }

    private void serve(List<Long> wanted, long server) throws IOException, InterruptedException {
        for (long client : wanted) {
            Reply before = replies.get(client);
            if (before == null || !done(before)) {
                Reply reply = program.ask("terminate_client " + server + " " + client);
                replies.put(client, reply);
                if (!reply.equals(before)) {
                    LOG.info("client {} of server {} is to be terminated: {}", client, server, reply);
                }
            }
        }
    }

    /** The daemon's last line is a status; words alone may be those of a failure. */
    private static boolean done(Reply reply) {
        return reply instanceof Reply.Answered(List<String> lines)
                && !lines.isEmpty()
                && lines.getLast().strip().equals("0");
    }
}
