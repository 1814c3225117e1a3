package io.gpushare.extender.simulation;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.Policy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The policy itself decides, for each pod and over all nodes. */
final class PolicyPlacer implements Placer {
    private final NodeChooser chooser;
    private final Policy policy;

    PolicyPlacer(List<FreeNode> nodes, Policy policy) {
        this.chooser = new NodeChooser(nodes);
        this.policy = policy;
    }

    @Override
    public OptionalLong place(PodRequest pod) {
        policy.arrived(pod);
        Optional<Candidate> way = chooser.choose(policy.scoring(), pod);
        if (way.isEmpty()) {
            return OptionalLong.empty();
        }
        chooser.update(way.get().after());
        return OptionalLong.of(way.get().units());
    }
}
