package io.gpushare.model.claims;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A ResourceClaim with what it requests of our cards, and what it has of them. Nothing in it is checked.
 *
 * @param claim without results and configurations of other drivers
 * @param requests those of our device classes, in the claim's order
 * @param constraints how its devices belong together
 */
public record ClaimState(ResourceClaim claim, List<Request> requests, Constraints constraints) {
    /** The device class of any card. */
    public static final String ANY = "gpushare";

    /** The device class of cards that are no MIG instances. */
    public static final String CARD = "gpushare-card";

    /** The same, for requests of {@code nvidia.com/gpu}. */
    public static final String NVIDIA = "gpushare-nvidia-gpu";

    /** What the device class of a profile of MIG instances begins with. */
    public static final String INSTANCE = "gpushare-mig-";

    private static final Set<String> CLASSES = Set.of(ANY, CARD, NVIDIA);

    /** How the devices of a claim belong together. */
    public enum Constraints {
        NONE,
        /** All requests for memory are about the same card. */
        ONE_CARD,
        /** In a way that kube-scheduler alone can tell. */
        OTHER
    }

    /**
     * One request.
     *
     * @param count of how many cards; 0 for all of a node
     * @param memory of each card, as a quantity; null for all of it
     * @param cores in percent of each card; null for none
     * @param selective whether it selects cards by expressions
     * @param alternatives whether it is the first of several, of which one is enough
     * @param tolerant whether it tolerates taints of cards
     */
    public record Request(
            String name,
            String deviceClass,
            int count,
            @Nullable String memory,
            @Nullable String cores,
            boolean selective,
            boolean alternatives,
            boolean tolerant) {
        /** The profile of the MIG instances of its class; null for another class. */
        public @Nullable String profile() {
            // A class can't have the plus sign of NVIDIA's 1g.5gb+me.
            return deviceClass.startsWith(INSTANCE)
                    ? deviceClass.substring(INSTANCE.length()).replace(".me", "+me")
                    : null;
        }
    }

    public ClaimState {
        requests = List.copyOf(requests);
    }

    /** Whether the class is one of ours. */
    public static boolean ours(String deviceClass) {
        return CLASSES.contains(deviceClass) || deviceClass.startsWith(INSTANCE);
    }

    /** Whether it is about none of our cards. */
    public boolean none() {
        return requests.isEmpty() && claim.results().isEmpty();
    }
}
