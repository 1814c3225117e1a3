package io.gpushare.simulation;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.simulation.cluster.SimulatedExtender;
import java.util.List;
import java.util.OptionalLong;

/** Places pods by the extender's verbs, as in a cluster. */
final class ExtenderPlacer implements Placer {
    private final SimulatedExtender extender;

    /** @param salt changes the names of the nodes, and with them their fixed order */
    ExtenderPlacer(List<FreeNode> nodes, PolicyKind kind, long salt) {
        extender = new SimulatedExtender(nodes, kind, salt);
    }

    @Override
    public OptionalLong place(PodRequest pod) {
        return extender.schedule(extender.arrived(pod)).stream()
                .mapToLong(SimulatedExtender.Placed::units)
                .findFirst();
    }
}
