package io.gpushare.simulation;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.simulation.cluster.SimulatedExtender;
import java.util.List;
import java.util.OptionalLong;

/** Places pods by the extender's verbs, as in a cluster. */
final class ExtenderPlacer implements Placer {
    private final SimulatedExtender extender;

    /** @param salt changes the names of the nodes, and with them their fixed order */
    ExtenderPlacer(List<KnownNode> nodes, PolicyKind kind, long salt) {
        extender = new SimulatedExtender(nodes, kind, salt);
    }

    @Override
    public OptionalLong place(PodRequest pod) {
        return extender.schedule(extender.arrived(pod)).stream()
                .mapToLong(SimulatedExtender.Placed::units)
                .findFirst();
    }
}
