package io.gpushare.extender.pod;

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
     * @param foreign whether others give it its cards, as kube-scheduler does for claims: it is counted and shown, and
     *     the extender decides nothing for it
     */
    record Valid(
            Demand demand,
            PodRequest request,
            @Nullable PolicyKind policy,
            List<String> containers,
            List<String> notes,
            NodeRules nodes,
            boolean foreign)
            implements PodDemand {
        public Valid {
            containers = List.copyOf(containers);
            notes = List.copyOf(notes);
        }

        /** What it requires of one node. */
        public NodeDemand onNode() {
            return new NodeDemand(demand, nodes, foreign);
        }

        /** The same on nodes that these rules accept. */
        public Valid on(NodeRules accepted) {
            return new Valid(demand, request, policy, containers, notes, accepted, foreign);
        }

        /** The same for a pod to which others give its cards. */
        Valid ofOthers() {
            return new Valid(demand, request, policy, containers, notes, nodes, true);
        }

        /** The CPU and memory of the node that the pod requests. */
        public HostResources host() {
            return request.host();
        }
    }
}
