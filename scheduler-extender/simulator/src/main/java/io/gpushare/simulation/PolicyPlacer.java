package io.gpushare.simulation;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.Policies;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Places each pod on the node of all that the policy itself chooses. */
final class PolicyPlacer implements Placer {
    private final NodeChooser chooser;
    private final Policies policy;

    PolicyPlacer(List<KnownNode> nodes, Policies policy) {
        this.chooser = new NodeChooser(nodes);
        this.policy = policy;
    }

    @Override
    public OptionalLong place(PodRequest pod) {
        policy.arrived(pod);
        policy.review(() -> chooser.nodes().toList());
        Optional<NodeChooser.Chosen> chosen = chooser.choose(policy.scoring(), pod);
        if (chosen.isEmpty()) {
            return OptionalLong.empty();
        }
        chooser.take(chosen.get());
        return OptionalLong.of(chosen.get().cards().units());
    }
}
