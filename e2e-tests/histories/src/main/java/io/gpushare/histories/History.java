package io.gpushare.histories;

import io.gpushare.histories.machine.Turns;
import io.gpushare.histories.world.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** One history of a cluster: pods come and go while parts of it fail, then it is quiet, and is judged. */
public final class History {
    /**
     * What became of it.
     *
     * @param violations what must not be, and was
     * @param story what happened, each with its time
     * @param digest equal for equal histories
     * @param parts the number of parts of threads that ran
     * @param time of the simulation
     */
    public record Outcome(List<String> violations, List<String> story, long digest, long parts, Duration time) {}

    private static final Duration START = Duration.ofSeconds(20);
    private static final Duration STEP = Duration.ofSeconds(30);
    /** By then everything has ended that can. */
    private static final Duration LONGEST_QUIET = Duration.ofMinutes(15);
    /** What ends after the last pods: reservations, promises, Bindings whose outcome is unknown. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(90);

    private final Plan plan;
    private final Turns turns;
    private final World world;

    private History(Plan plan, Path directory) {
        this.plan = plan;
        turns = new Turns(new Random(plan.seed()).nextLong());
        world = new World(turns, directory);
    }

    /**
     * Runs that plan, on this thread.
     *
     * @param directory for files, an empty one with a short path
     */
    public static Outcome run(Plan plan, Path directory) {
        History history = new History(plan, directory);
        try {
            return history.run();
        } finally {
            history.turns.end();
        }
    }

    private Outcome run() {
        plan.nodes().forEach(node -> world.addNode(node.cards(), node.gib(), node.kubelet(), node.byClaims()));
        turns.run(START);
        for (Plan.Event event : plan.events()) {
            turns.run(START.plus(event.at()).minus(turns.time()));
            world.tell(event.what());
            event.action().accept(world);
        }
        world.network().heal();
        world.tell("quiet");
        Duration end = turns.time().plus(LONGEST_QUIET);
        while (!waiting().isEmpty() && turns.time().compareTo(end) < 0) {
            turns.run(STEP);
        }
        turns.run(AFTERWARDS);
        List<String> violations = new ArrayList<>(world.use().violations());
        violations.addAll(waiting());
        violations.addAll(world.leftOver());
        violations.addAll(world.untrue());
        violations.addAll(plan.planned() ? world.rejected() : world.refused());
        return new Outcome(violations, world.story(), turns.digest(), turns.taken(), turns.time());
    }

    /** The pods that have not ended, and could: in a quiet world each pod that fits runs. */
    private List<String> waiting() {
        return world.pods().stream()
                .filter(pod -> !pod.ended() && world.fits(pod))
                .map(pod -> "pod " + pod.name() + " of " + pod.created() + " has not ended: node '" + pod.node()
                        + "', waits for '" + pod.waitingReason() + "'"
                        + (pod.beingDeleted() ? ", is being deleted" : ""))
                .toList();
    }
}
