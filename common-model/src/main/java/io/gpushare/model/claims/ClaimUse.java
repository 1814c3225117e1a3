package io.gpushare.model.claims;

import java.util.Set;

/**
 * A claim of a container.
 *
 * @param claim the claim's name; empty while it does not exist
 * @param request the one request of the claim that the container uses; empty for all
 * @param variables the names of the environment variables that the container sets itself
 */
public record ClaimUse(String container, String claim, String request, Set<String> variables) {
    public ClaimUse {
        variables = Set.copyOf(variables);
    }

    /** Whether it includes that request, which has a slash and a name behind it where it is one of alternatives. */
    public boolean includes(ResourceClaim of, String name) {
        return claim.equals(of.name()) && (request.isEmpty() || request.equals(ResourceClaim.base(name)));
    }
}
