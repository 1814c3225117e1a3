package io.gpushare.model.pod;

import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ResourceClaims of a pod. Its own spec and status only name them; what they are about is added by whoever watches
 * claims.
 *
 * @param names those of the claims that it names, as far as they exist; the first {@link #MOST}
 * @param missing whether it names claims that do not exist yet
 * @param demand what they request of cards; null if that is nothing, or not known
 * @param allocation the cards that they have, which count whatever the pod's annotations say; null for none
 * @param notes what its users should know of them, in sentences without a full stop
 */
public record PodClaims(
        List<String> names,
        boolean missing,
        @Nullable Demand demand,
        @Nullable Allocation allocation,
        List<String> notes) {
    /** A pod may name any number. */
    public static final int MOST = 64;

    public static final PodClaims NONE = new PodClaims(List.of(), false);

    public PodClaims {
        names = List.copyOf(names);
        notes = List.copyOf(notes);
    }

    /** Claims of which only the names are known. */
    public PodClaims(List<String> names, boolean missing) {
        this(names, missing, null, null, List.of());
    }

    /** Whether the pod names none. */
    public boolean none() {
        return names.isEmpty() && !missing;
    }
}
