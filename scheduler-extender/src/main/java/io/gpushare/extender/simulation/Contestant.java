package io.gpushare.extender.simulation;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.simulation.trace.BadInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A policy in a replay, and how it gets to decide. */
public record Contestant(PolicyKind kind, How how) {
    /** What it knows, and through what its decisions go. */
    public enum How {
        /** It knows beforehand which pods will come, in whatever order. */
        TOLD(""),
        /** It learns from those that came. */
        FROM_NOTHING("-from-nothing"),
        /** It is the extender's policy, learns from those that came, and is asked through the verbs. */
        THROUGH_EXTENDER("-through-extender");

        private final String suffix;

        How(String suffix) {
            this.suffix = suffix;
        }
    }

    public Contestant {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(how);
    }

    /** Reads {@code wsp}, {@code wsp-from-nothing} or {@code wsp-through-extender}. */
    public static Contestant parse(String name) throws BadInputException {
        for (Contestant each : all()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw new BadInputException("there is no policy '" + name + "': write one of "
                + String.join(", ", all().stream().map(Contestant::name).toList()));
    }

    /** All that there are. */
    public static List<Contestant> all() {
        List<Contestant> all = new ArrayList<>();
        for (PolicyKind kind : PolicyKind.values()) {
            all.add(new Contestant(kind, How.TOLD));
            if (kind.learns()) {
                all.add(new Contestant(kind, How.FROM_NOTHING));
            }
            if (PolicyKind.offered().contains(kind)) {
                all.add(new Contestant(kind, How.THROUGH_EXTENDER));
            }
        }
        return all;
    }

    String name() {
        return kind + how.suffix;
    }

    Placer placer(List<FreeNode> nodes, ClusterCapacity capacity, long seed, List<PodRequest> list) {
        return switch (how) {
            case TOLD -> new PolicyPlacer(nodes, kind.withForeknowledge(capacity, seed, list));
            case FROM_NOTHING -> new PolicyPlacer(nodes, kind.fromNothing(capacity, seed));
            case THROUGH_EXTENDER -> new ExtenderPlacer(nodes, kind, seed);
        };
    }
}
