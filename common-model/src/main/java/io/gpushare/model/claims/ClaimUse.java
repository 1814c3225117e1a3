package io.gpushare.model.claims;

import io.gpushare.model.ContainerRole;
import java.util.Set;

/**
 * A claim of a container.
 *
 * @param claim the claim's name; empty while it does not exist
 * @param request the one request of the claim that the container uses; empty for all
 * @param variables the names of the environment variables that the container sets itself, of those for cards
 */
public record ClaimUse(String container, ContainerRole role, String claim, String request, Set<String> variables) {
    /** Of one pod, so many are read, and a node counts no more: a tenant may name tens of thousands. */
    public static final int MOST_OF_POD = 256;

    public ClaimUse {
        variables = Set.copyOf(variables);
    }

    /** What says who uses a claim. */
    ClaimUse withoutVariables() {
        return new ClaimUse(container, role, claim, request, Set.of());
    }

    /** Whether it includes that request, which has a slash and a name behind it where it is one of alternatives. */
    public boolean includes(ResourceClaim of, String name) {
        return claim.equals(of.name()) && (request.isEmpty() || request.equals(ResourceClaim.base(name)));
    }
}
