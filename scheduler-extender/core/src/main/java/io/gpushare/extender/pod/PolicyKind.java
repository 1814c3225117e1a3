package io.gpushare.extender.pod;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The policies by name. */
public enum PolicyKind {
    /** The node with the least CPU and GPU left; on it the card with the least left. */
    BESTFIT(false, false),
    /** Cards and nodes in use before unused ones. */
    BINPACK(false, true),
    /** The node with the most left; on it the card with the most left. */
    SPREAD(false, true),
    /** Fragmentation Gradient Descent, as published. */
    FGD(true, true),
    /** Waste, stranding, price: the least memory that no later pod can use. */
    WSP(true, true),
    /** WSP with a part of FGD, for jobs of many whole cards that come and go. */
    WSP_FGD(true, true),
    /** WSP that keeps unused cards for jobs of whole cards, also before the first one comes. */
    WSP_KEEP(true, true),
    /** The one of the others that serves the latest pods best on this cluster. */
    ADAPTIVE(true, true);

    private final boolean learns;
    private final boolean offered;

    PolicyKind(boolean learns, boolean offered) {
        this.learns = learns;
        this.offered = offered;
    }

    /** The policies for a running cluster; the others are for comparison. */
    public static List<PolicyKind> offered() {
        return Stream.of(values()).filter(kind -> kind.offered).toList();
    }

    /** The {@link #offered} policy with that name; empty for any other text. */
    public static Optional<PolicyKind> parse(String text) {
        return offered().stream().filter(kind -> kind.toString().equals(text)).findFirst();
    }

    /** Whether the policy depends on the pods that arrive. */
    public boolean learns() {
        return learns;
    }

    /** The name for users. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
