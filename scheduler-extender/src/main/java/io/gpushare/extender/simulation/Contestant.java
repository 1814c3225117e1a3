package io.gpushare.extender.simulation;

import io.gpushare.extender.placement.Capacity;
import io.gpushare.extender.placement.PodRequest;
import io.gpushare.extender.placement.Policy;
import io.gpushare.extender.placement.PolicyKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A policy in a replay.
 *
 * @param told whether it knows beforehand which pods will come; else it learns from those that came, as it would in a
 *     cluster
 */
public record Contestant(PolicyKind kind, boolean told) {
    private static final String FROM_NOTHING = "-from-nothing";

    public Contestant {
        Objects.requireNonNull(kind);
    }

    /** Reads {@code wsp}, or {@code wsp-from-nothing}. */
    public static Contestant parse(String name) throws BadInput {
        for (Contestant each : all()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw new BadInput("there is no policy '" + name + "': write one of "
                + String.join(", ", all().stream().map(Contestant::name).toList()));
    }

    /** All that there are. */
    public static List<Contestant> all() {
        List<Contestant> all = new ArrayList<>();
        for (PolicyKind kind : PolicyKind.values()) {
            all.add(new Contestant(kind, true));
            if (kind.learns()) {
                all.add(new Contestant(kind, false));
            }
        }
        return all;
    }

    String name() {
        return kind.name().toLowerCase(Locale.ROOT) + (told ? "" : FROM_NOTHING);
    }

    Policy policy(Capacity capacity, long seed, List<PodRequest> list) {
        return told ? kind.told(capacity, seed, list) : kind.fromNothing(capacity, seed);
    }
}
