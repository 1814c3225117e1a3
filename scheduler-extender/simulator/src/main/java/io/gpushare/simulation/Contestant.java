package io.gpushare.simulation;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.simulation.trace.BadInputException;
import java.util.ArrayList;
import java.util.List;

/** A policy in a replay, and how it decides. */
public record Contestant(PolicyKind kind, Mode mode) {
    /** What the policy knows in advance, and what its decisions go through. */
    public enum Mode {
        /** The policy knows in advance which pods will arrive, in whatever order. */
        FOREKNOWING(""),
        /** The policy learns from the pods that have arrived. */
        FROM_NOTHING("-from-nothing"),
        /** The policy learns from the pods that have arrived, and decides through the extender's verbs. */
        THROUGH_EXTENDER("-through-extender");

        private final String suffix;

        Mode(String suffix) {
            this.suffix = suffix;
        }
    }

    /** Reads {@code wsp}, {@code wsp-from-nothing} or {@code wsp-through-extender}. */
    public static Contestant parse(String name) throws BadInputException {
        for (Contestant each : all()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw new BadInputException("unknown policy '" + name + "': write one of "
                + String.join(", ", all().stream().map(Contestant::name).toList()));
    }

    /** All combinations. */
    public static List<Contestant> all() {
        List<Contestant> all = new ArrayList<>();
        for (PolicyKind kind : PolicyKind.values()) {
            all.add(new Contestant(kind, Mode.FOREKNOWING));
            if (kind.learns()) {
                all.add(new Contestant(kind, Mode.FROM_NOTHING));
            }
            if (PolicyKind.offered().contains(kind)) {
                all.add(new Contestant(kind, Mode.THROUGH_EXTENDER));
            }
        }
        return all;
    }

    public String name() {
        return kind + mode.suffix;
    }

    Placer placer(List<KnownNode> nodes, ClusterCapacity capacity, long seed, List<PodRequest> list) {
        return switch (mode) {
            case FOREKNOWING -> new PolicyPlacer(nodes, Policies.knowing(kind, capacity, list));
            case FROM_NOTHING -> new PolicyPlacer(nodes, new Policies(kind, capacity));
            case THROUGH_EXTENDER -> new ExtenderPlacer(nodes, kind, seed);
        };
    }
}
