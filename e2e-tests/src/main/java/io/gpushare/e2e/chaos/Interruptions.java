package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.Fault.Kind;
import io.gpushare.e2e.chaos.Fault.Target;
import io.gpushare.e2e.chaos.check.RunClock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * When faults hit what admits pods on a node. A kubelet that rejects a pod without any of them, or with planned
 * restarts of the device plugin and moves of the node alone, loses pods in an upgrade.
 */
final class Interruptions {
    /** A killed plugin is started again and registers within this time, also on a loaded machine. */
    private static final Duration EFFECT = Duration.ofSeconds(60);

    private static final Set<Target> OF_NODES =
            EnumSet.of(Target.PLUGIN, Target.KUBELET, Target.CARD, Target.SUPERVISOR, Target.NODE, Target.RUNTIME);

    private static final Set<Kind> PLANNED = EnumSet.of(Kind.PLUGIN_REPLACE, Kind.NODE_MOVE, Kind.NODE_MOVE_BRIEF);

    private record Hit(Fault fault, Duration at) {
        boolean lasts(Duration moment) {
            return at.compareTo(moment) <= 0
                    && at.plus(fault.length()).plus(EFFECT).compareTo(moment) >= 0;
        }
    }

    private final List<Hit> hits = new CopyOnWriteArrayList<>();

    void add(Fault fault, Duration at) {
        hits.add(new Hit(fault, at));
    }

    /** Adds a fault that begins now, and prints it. */
    void begin(RunClock watch, Fault fault, String target) {
        add(fault, watch.now());
        boolean lasts = fault.kind().shortest != fault.kind().longest || fault.kind().target == Target.API;
        watch.say(
                fault.kind() + " " + target + (lasts ? " for " + fault.length().toSeconds() + " s" : ""));
    }

    /** The kinds of faults that a pod on the node with that number may feel at that moment. */
    Set<Kind> on(int node, Duration moment) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        hits.stream()
                .filter(hit -> hit.fault().kind().target == Target.API
                        || (OF_NODES.contains(hit.fault().kind().target)
                                && hit.fault().node() == node))
                .filter(hit -> hit.lasts(moment))
                .forEach(hit -> kinds.add(hit.fault().kind()));
        return kinds;
    }

    /** Whether these are planned restarts of the device plugin, or moves of its node, and nothing else. */
    static boolean planned(Set<Kind> kinds) {
        return !kinds.isEmpty() && PLANNED.containsAll(kinds);
    }
}
