package io.gpushare.extender.pod;

import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.node.NodeRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a pod requests, decoded once from its containers and annotations by {@link PodDemandDecoder}. */
public sealed interface PodDemand {
    /**
     * The pod requests no GPU resource.
     *
     * @param request its CPU and memory
     * @param named whether it names a GPU resource, with the amount 0: kube-scheduler delegates such a pod to the
     *     extender
     */
    record NoGpu(PodRequest request, boolean named) implements PodDemand {}

    /**
     * The pod's resources or annotations are invalid, so no node can take it.
     *
     * @param sentence what is invalid and how to correct it
     */
    record Invalid(String sentence) implements PodDemand {}

    /**
     * The pod requests GPU resources.
     *
     * @param request the same as policies weigh it
     * @param policy the policy that the pod names; null for the extender's default
     * @param containers the names of all its containers in the order in which they start, if it requests slots
     * @param notes what its users should know of its requests, in sentences without a full stop
     * @param nodes the nodes that it accepts while it is not bound; in requests of kube-scheduler, which has checked
     *     them, every node
     */
    record Valid(
            Demand demand,
            PodRequest request,
            @Nullable PolicyKind policy,
            List<String> containers,
            List<String> notes,
            NodeRules nodes)
            implements PodDemand {
        public Valid {
            containers = List.copyOf(containers);
            notes = List.copyOf(notes);
        }

        /** What it requires of one node. */
        public NodeDemand onNode() {
            return new NodeDemand(demand, nodes);
        }

        /** The same on nodes that these rules accept. */
        public Valid on(NodeRules accepted) {
            return new Valid(demand, request, policy, containers, notes, accepted);
        }

        /** The CPU and memory of the node that the pod requests. */
        public HostResources host() {
            return new HostResources(request.cpuMilli(), request.memoryMib());
        }
    }
}
