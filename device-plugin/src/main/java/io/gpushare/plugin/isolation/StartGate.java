package io.gpushare.plugin.isolation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Inventory;
import java.util.Optional;
import java.util.Set;

/** Isolation as the kubelet's calls about one container need it. */
public interface StartGate {
    /** What a container with these cards needs for its isolation. */
    ContainerIsolation of(ContainerAllocation allocation, Inventory inventory);

    /** Whether the kubelet must call before each start of a container. */
    boolean gated();

    /**
     * Puts the isolation of the container with these devices into force.
     *
     * @return why it can't start, as a sentence; empty if it may
     */
    Optional<String> start(Set<String> ids);
}
