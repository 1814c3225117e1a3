package io.gpushare.mps.machine;

import io.gpushare.mps.machine.Observation.Daemon;
import io.gpushare.mps.machine.Observation.Mode;
import io.gpushare.mps.machine.Observation.Server;
import io.gpushare.mps.machine.Observation.Status;
import java.util.Optional;

/** A card with MPS on which everything may fail, as the machine's actions and a test's faults leave it. */
final class SimulatedCard {
    boolean responds = true;
    boolean foreignProcess;
    boolean daemonFails;
    boolean hangs;
    boolean fault;
    Mode mode;
    boolean daemon;
    boolean server;
    long defaultLimit;
    long limit;
    int clients;

    /** @param mode the compute mode; not available for a MIG instance */
    SimulatedCard(Mode mode) {
        this.mode = mode;
    }

    Observation seen(Wish wish) {
        boolean answers = daemon && !hangs;
        return new Observation(
                responds,
                !daemon && foreignProcess ? Optional.of("a process computes without MPS") : Optional.empty(),
                mode,
                !daemon ? Daemon.ABSENT : answers ? Daemon.ANSWERING : Daemon.SILENT,
                answers && server
                        ? Optional.of(new Server(
                                7,
                                fault ? Status.FAULT : Status.ACTIVE,
                                wish.on() && limit == wish.processLimitMib(),
                                clients))
                        : Optional.empty());
    }

    void apply(Action action, Wish wish) {
        boolean answers = daemon && !hangs;
        switch (action) {
            case ALLOW_ANY -> allow(Mode.ANY);
            case ALLOW_SERVER_ONLY -> allow(Mode.SERVER_ONLY);
            case ALLOW_NONE -> allow(Mode.NONE);
            case START_DAEMON -> daemon = !daemonFails;
            case SET_LIMIT -> {
                defaultLimit = answers ? wish.processLimitMib() : defaultLimit;
                limit = answers && server ? wish.processLimitMib() : limit;
            }
            case START_SERVER -> {
                if (answers && !server) {
                    server = true;
                    fault = false;
                    limit = defaultLimit;
                }
            }
            case END_SERVER -> endServer(answers);
            case QUIT -> {
                endServer(answers);
                daemon &= !answers;
            }
            case KILL -> {
                endServer(true);
                daemon = false;
                hangs = false;
            }
        }
    }

    private void allow(Mode changed) {
        if (mode == Mode.NOT_AVAILABLE) {
            throw new AssertionError("the compute mode of a MIG instance is set");
        }
        mode = responds ? changed : mode;
    }

    private void endServer(boolean ends) {
        server &= !ends;
        clients = ends ? 0 : clients;
        fault &= !ends;
    }

    /** Everything works again; what was broken stays as it is. */
    void heal() {
        responds = true;
        foreignProcess = false;
        daemonFails = false;
        hangs = false;
        fault = false;
        clients = 0;
    }
}
