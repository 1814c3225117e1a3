package io.gpushare.model.pod;

import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.claims.ClaimUse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ResourceClaims of a pod. Its own spec and status only name them; what they are about is added by whoever watches
 * claims.
 *
 * @param names those of the claims that it names, as far as they exist; the first {@link #MOST}
 * @param missing whether it names claims that do not exist yet
 * @param uses what its containers use of them; none where the pods of all nodes are watched
 * @param demand what they request of cards; null if that is nothing, or not known
 * @param allocation the cards that they have, which count whatever the pod's annotations say; null for none
 * @param notes what its users should know of them, in sentences without a full stop
 */
public record PodClaims(
        List<String> names,
        boolean missing,
        List<ClaimUse> uses,
        @Nullable Demand demand,
        @Nullable Allocation allocation,
        List<String> notes) {
    /** A pod may name any number. */
    public static final int MOST = 64;

    public static final PodClaims NONE = new PodClaims(List.of(), false);

    public PodClaims {
        names = List.copyOf(names);
        uses = List.copyOf(uses);
        notes = List.copyOf(notes);
    }

    /** Claims of which only the names are known. */
    public PodClaims(List<String> names, boolean missing) {
        this(names, missing, List.of(), null, null, List.of());
    }

    /** The same with what the pod's containers use. */
    public PodClaims with(List<ClaimUse> used) {
        return new PodClaims(names, missing, used, demand, allocation, notes);
    }

    /** Whether the pod names none. */
    public boolean none() {
        return names.isEmpty() && !missing;
    }
}
