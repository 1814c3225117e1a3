package io.gpushare.extender.simulation;

import io.gpushare.extender.placement.Chooser;
import io.gpushare.extender.placement.NodeRoom;
import io.gpushare.extender.placement.PodRequest;
import io.gpushare.extender.placement.Policy;
import io.gpushare.extender.placement.Way;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The policy itself decides, for each pod and over all nodes. */
final class PolicyPlacer implements Placer {
    private final Chooser chooser;
    private final Policy policy;

    PolicyPlacer(List<NodeRoom> nodes, Policy policy) {
        this.chooser = new Chooser(nodes);
        this.policy = policy;
    }

    @Override
    public OptionalLong place(PodRequest pod) {
        policy.arrived(pod);
        Optional<Way> way = chooser.choose(policy.scoring(), pod);
        if (way.isEmpty()) {
            return OptionalLong.empty();
        }
        chooser.changed(way.get().after());
        return OptionalLong.of(way.get().units());
    }
}
