package io.gpushare.model.card;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What holds containers to their share of a card's memory. */
public enum Isolation {
    /** Nothing: memory is only counted. */
    NONE,
    /** Limits of the driver for the cgroups of pods (driver 615 and newer). */
    DRIVER,
    /** NVIDIA's Multi-Process Service. */
    MPS,
    /** A library of project HAMi-core that every program of the container preloads. */
    HAMI_CORE,
    /** The hardware, for a pod that has a MIG instance alone. */
    MIG;

    /** The isolation of that name; empty if there is none, as in an inventory of a newer version. */
    public static Optional<Isolation> of(String name) {
        return Arrays.stream(values())
                .filter(each -> each.toString().equalsIgnoreCase(name))
                .findFirst();
    }

    /** Whether it holds containers to their share of that kind. */
    public boolean limits(ShareKind kind) {
        return switch (kind) {
            case MEMORY -> this != NONE;
            case CORES -> this == MPS || this == HAMI_CORE;
            default -> false;
        };
    }

    /** Which isolations would limit that kind, where this one does not. */
    public String lacks(ShareKind kind) {
        return "isolation " + this + " is in force, and " + limiting(kind) + " is needed";
    }

    /** The isolations that limit that kind, such as {@code mps or hami-core}. */
    public static String limiting(ShareKind kind) {
        return Arrays.stream(values())
                .filter(each -> each.limits(kind))
                .map(Isolation::toString)
                .collect(Collectors.joining(" or "));
    }

    /** Whether CUDA reports a container's share to its programs as the total memory of the card. */
    public boolean showsShareAsTotal() {
        return this == HAMI_CORE;
    }

    /** Its name in options, inventories and selectors. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
