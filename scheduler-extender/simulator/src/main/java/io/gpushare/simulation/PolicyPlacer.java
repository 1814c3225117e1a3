package io.gpushare.simulation;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.Policies;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Places each pod on the node of all that the policy itself chooses. */
final class PolicyPlacer implements Placer {
    private final NodeChooser chooser;
    private final Policies policy;

    PolicyPlacer(List<FreeNode> nodes, Policies policy) {
        this.chooser = new NodeChooser(nodes);
        this.policy = policy;
    }

    @Override
    public OptionalLong place(PodRequest pod) {
        policy.arrived(pod);
        policy.review(() -> chooser.nodes().toList());
        Optional<Candidate> candidate = chooser.choose(policy.scoring(), pod);
        if (candidate.isEmpty()) {
            return OptionalLong.empty();
        }
        chooser.update(candidate.get().after());
        return OptionalLong.of(candidate.get().units());
    }
}
