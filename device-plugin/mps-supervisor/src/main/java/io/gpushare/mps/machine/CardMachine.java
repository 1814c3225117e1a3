package io.gpushare.mps.machine;

import io.gpushare.mps.link.Phase;
import io.gpushare.mps.machine.Observation.Daemon;
import io.gpushare.mps.machine.Observation.Mode;
import io.gpushare.mps.machine.Observation.Server;
import io.gpushare.mps.machine.Observation.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state machine of MPS on one card. A step compares what is wanted with what is seen, so that it is right after any
 * order of events, and after a restart of the supervisor.
 *
 * <p>While memory pods hold the card, only the server may compute there, or nobody: a client that does not find its
 * server would otherwise have the whole card. On a MIG instance nothing prevents that.
 *
 * @param since when the phase began
 * @param why the reason of the phase, as a sentence; may be empty
 * @param failures when the daemon had to be started again, within the last ten minutes
 * @param silent observations in a row in which the card or the daemon did not answer
 */
public record CardMachine(Phase phase, Instant since, String why, List<Instant> failures, int silent) {
    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final Duration FAULT_LIMIT = Duration.ofSeconds(60);
    private static final Duration QUIT_LIMIT = Duration.ofSeconds(10);
    private static final Duration FAILURE_WINDOW = Duration.ofMinutes(10);
    private static final Duration BROKEN_LEAST = Duration.ofSeconds(60);
    private static final String LOST = "the card does not respond";
    private static final int MOST_FAILURES = 5;
    private static final int MOST_SILENT = 3;

    /** What to do now, and the state after it. */
    public record Step(CardMachine next, List<Action> actions) {
        public Step {
            actions = List.copyOf(actions);
        }
    }

    public CardMachine {
        failures = List.copyOf(failures);
    }

    /** The machine of a supervisor that has just started: what an earlier one left is ended first. */
    public static CardMachine starting(Instant now) {
        return new CardMachine(Phase.DRAINING, now, "the supervisor has started", List.of(), 0);
    }

    /**
     * One step.
     *
     * @param wanted whether memory pods hold the card
     */
    public Step step(boolean wanted, Observation seen, Instant now) {
        CardMachine current = with(failures.stream()
                .filter(failure -> now.isBefore(failure.plus(FAILURE_WINDOW)))
                .toList());
        if (!seen.card()) {
            // One reading may fail, and the end of the daemon is the end of every client.
            if (phase != Phase.BROKEN && silent + 1 < MOST_SILENT) {
                return new Step(new CardMachine(phase, since, why, current.failures, silent + 1), List.of());
            }
            CardMachine broken = phase == Phase.BROKEN ? current : current.to(Phase.BROKEN, LOST, now);
            return new Step(broken, seen.daemon() == Daemon.ABSENT ? List.of() : List.of(Action.KILL));
        }
        return switch (phase) {
            case OFF -> current.off(wanted, seen, now);
            case STARTING -> current.startingUp(wanted, seen, now);
            case READY -> current.ready(wanted, seen, now);
            case FAULTED -> current.faulted(wanted, seen, now);
            case DEAD -> current.dead(wanted, seen, now);
            case DRAINING -> current.draining(wanted, seen, now);
            case BROKEN -> current.broken(wanted, seen, now);
        };
    }

    private Step off(boolean wanted, Observation seen, Instant now) {
        return wanted || seen.daemon() != Daemon.ABSENT || seen.mode().differsFrom(Mode.ANY)
                ? then(Phase.DRAINING, "", now)
                : stay();
    }

    private Step startingUp(boolean wanted, Observation seen, Instant now) {
        if (!wanted) {
            return then(Phase.DRAINING, "", now);
        }
        if (passed(START_LIMIT, now)) {
            return failed("MPS did not start within " + START_LIMIT.toSeconds() + " s", now);
        }
        if (seen.mode().differsFrom(Mode.SERVER_ONLY)) {
            return stay(Action.ALLOW_SERVER_ONLY);
        }
        return switch (seen.daemon()) {
            case ABSENT ->
                seen.impossible()
                        .map(reason -> then(Phase.BROKEN, reason, now))
                        .orElseGet(() -> stay(Action.START_DAEMON));
            case SILENT -> stay();
            case ANSWERING -> withDaemon(seen, now);
        };
    }

    private Step withDaemon(Observation seen, Instant now) {
        if (seen.server().isEmpty()) {
            return stay(Action.SET_LIMIT, Action.START_SERVER);
        }
        Server server = seen.server().get();
        if (server.status() == Status.ACTIVE) {
            return server.limited() ? then(Phase.READY, "", now) : stay(Action.SET_LIMIT);
        }
        return stay();
    }

    private Step ready(boolean wanted, Observation seen, Instant now) {
        Optional<Step> lost = withoutDaemon(seen, now);
        if (lost.isPresent()) {
            return lost.get();
        }
        if (seen.daemon() == Daemon.SILENT) {
            return stay();
        }
        if (seen.server().isEmpty()) {
            return wanted ? then(Phase.STARTING, "the server ended", now) : then(Phase.DRAINING, "", now);
        }
        Server server = seen.server().get();
        if (!wanted && server.clients() == 0) {
            return then(Phase.DRAINING, "", now);
        }
        if (seen.mode().differsFrom(Mode.SERVER_ONLY)) {
            return then(Phase.STARTING, "the card's compute mode was changed", now, Action.ALLOW_SERVER_ONLY);
        }
        return switch (server.status()) {
            case FAULT -> then(Phase.FAULTED, "a client's fatal fault ended all clients of the card", now);
            case INITIALIZING -> then(Phase.STARTING, "the server starts again", now);
            case ACTIVE -> !wanted || server.limited() ? stay() : stay(Action.SET_LIMIT);
        };
    }

    private Step faulted(boolean wanted, Observation seen, Instant now) {
        Optional<Step> lost = withoutDaemon(seen, now);
        if (lost.isPresent()) {
            return lost.get();
        }
        boolean recovered =
                seen.server().map(server -> server.status() == Status.ACTIVE).orElse(seen.daemon() == Daemon.ANSWERING);
        if (recovered) {
            return wanted ? then(Phase.STARTING, "", now) : then(Phase.DRAINING, "", now);
        }
        return passed(FAULT_LIMIT, now)
                ? failed("the server did not recover from a client's fault", now, Action.END_SERVER)
                : stay();
    }

    /** The step when the daemon ended, or was silent too often; empty if it is there, or may answer again. */
    private Optional<Step> withoutDaemon(Observation seen, Instant now) {
        return switch (seen.daemon()) {
            case ABSENT -> Optional.of(failed("the control daemon ended", now));
            case SILENT ->
                silent + 1 >= MOST_SILENT
                        ? Optional.of(failed("the control daemon does not answer", now, Action.KILL))
                        : Optional.of(new Step(new CardMachine(phase, since, why, failures, silent + 1), List.of()));
            case ANSWERING -> Optional.empty();
        };
    }

    private Step dead(boolean wanted, Observation seen, Instant now) {
        if (!wanted) {
            return then(Phase.DRAINING, "", now);
        }
        if (failures.size() >= MOST_FAILURES) {
            return then(Phase.BROKEN, "MPS failed " + failures.size() + " times in ten minutes, at last: " + why, now);
        }
        if (seen.daemon() != Daemon.ABSENT) {
            return stay(Action.KILL);
        }
        // 1, 2, 4, 8 s after the first, second, … failure.
        return passed(Duration.ofSeconds(1L << Math.max(0, failures.size() - 1)), now)
                ? then(Phase.STARTING, why, now)
                : stay();
    }

    /** Also the way from off to on: a daemon of an earlier supervisor must end first. */
    private Step draining(boolean wanted, Observation seen, Instant now) {
        if (seen.daemon() != Daemon.ABSENT) {
            boolean wait = seen.daemon() == Daemon.ANSWERING && !passed(QUIT_LIMIT, now);
            return stay(wait ? Action.QUIT : Action.KILL);
        }
        if (wanted) {
            return seen.impossible()
                    .map(reason -> then(Phase.BROKEN, reason, now))
                    .orElseGet(() -> seen.mode().differsFrom(Mode.SERVER_ONLY)
                            ? then(Phase.STARTING, "", now, Action.ALLOW_SERVER_ONLY)
                            : then(Phase.STARTING, "", now));
        }
        return seen.mode().differsFrom(Mode.ANY) ? stay(Action.ALLOW_ANY) : then(Phase.OFF, "", now);
    }

    private Step broken(boolean wanted, Observation seen, Instant now) {
        if (seen.daemon() != Daemon.ABSENT) {
            return stay(Action.KILL);
        }
        // Not at once if nothing is wanted: a plugin that counts memory instead would begin again with each pod.
        boolean recoverable = why.equals(LOST)
                || ((wanted || passed(BROKEN_LEAST, now))
                        && seen.impossible().isEmpty()
                        && failures.size() < MOST_FAILURES);
        if (recoverable) {
            return then(Phase.DRAINING, "", now);
        }
        if (wanted) {
            return seen.mode().differsFrom(Mode.NONE) ? stay(Action.ALLOW_NONE) : stay();
        }
        return seen.mode().differsFrom(Mode.ANY) ? stay(Action.ALLOW_ANY) : stay();
    }

    private Step failed(String reason, Instant now, Action... actions) {
        List<Instant> more = new ArrayList<>(failures);
        more.add(now);
        return new Step(new CardMachine(Phase.DEAD, now, reason, more, 0), List.of(actions));
    }

    private boolean passed(Duration time, Instant now) {
        return !now.isBefore(since.plus(time));
    }

    private Step stay(Action... actions) {
        return new Step(new CardMachine(phase, since, why, failures, 0), List.of(actions));
    }

    private Step then(Phase changed, String reason, Instant now, Action... actions) {
        return new Step(to(changed, reason, now), List.of(actions));
    }

    private CardMachine to(Phase changed, String reason, Instant now) {
        return new CardMachine(changed, now, reason, failures, 0);
    }

    private CardMachine with(List<Instant> recent) {
        return new CardMachine(phase, since, why, recent, silent);
    }
}
