package io.gpushare.extender.pod;

import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.KubeletReport;
import io.gpushare.model.pod.PodClaims;
import io.gpushare.model.pod.PodPriority;
import io.gpushare.model.pod.PodScheduling;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes pods as the API server shows them, for all tests: each is unbound, of default priority and requests nothing
 * until a step says otherwise.
 */
public final class PodBuilder {
    private final PodRef ref;
    private @Nullable String node;
    private boolean ended;
    private PodPriority priority = PodPriority.DEFAULT;
    private NodeRules nodes = NodeRules.ANY;
    private @Nullable String group;
    private boolean unschedulable;
    private String failure = "";
    private @Nullable String nominatedNode;
    private @Nullable String heldNode;
    private @Nullable Instant deadline;
    private @Nullable PodController controller;
    private Map<String, String> annotations = Map.of();
    private List<ContainerResources> containers = List.of();
    private PodClaims claims = PodClaims.NONE;

    private PodBuilder(PodRef ref) {
        this.ref = ref;
    }

    public static PodBuilder pod(PodRef ref) {
        return new PodBuilder(ref);
    }

    /** The pod of that name in the namespace {@code default}, with {@code uid-} before it as uid. */
    public static PodBuilder pod(String name) {
        return pod(new PodRef("uid-" + name, "default", name));
    }

    /** Bound to that node; null for unbound. */
    public PodBuilder on(@Nullable String name) {
        node = name;
        return this;
    }

    public PodBuilder ended(boolean whether) {
        ended = whether;
        return this;
    }

    public PodBuilder priority(PodPriority of) {
        priority = of;
        return this;
    }

    /** Of that priority, created then. */
    public PodBuilder priority(int value, Instant created) {
        return priority(new PodPriority(value, created, priority.terminating()));
    }

    public PodBuilder terminating(boolean whether) {
        return priority(new PodPriority(priority.value(), priority.created(), whether));
    }

    /** It accepts only those nodes. */
    public PodBuilder accepting(NodeRules rules) {
        nodes = rules;
        return this;
    }

    /** The PodGroup to which it belongs; null for none. */
    public PodBuilder group(@Nullable String name) {
        group = name;
        return this;
    }

    /** Whether kube-scheduler found no node for it. */
    public PodBuilder unschedulable(boolean whether) {
        unschedulable = whether;
        return this;
    }

    /** What kube-scheduler wrote about a failed attempt, shortened. */
    public PodBuilder failure(String written) {
        failure = written;
        return this;
    }

    public PodBuilder nominatedTo(@Nullable String name) {
        nominatedNode = name;
        return this;
    }

    /** The extender holds cards for it on that node. */
    public PodBuilder heldOn(@Nullable String name) {
        heldNode = name;
        return this;
    }

    public PodBuilder deadline(@Nullable Instant at) {
        deadline = at;
        return this;
    }

    public PodBuilder controller(@Nullable PodController by) {
        controller = by;
        return this;
    }

    public PodBuilder annotations(Map<String, String> all) {
        annotations = all;
        return this;
    }

    public PodBuilder containers(List<ContainerResources> all) {
        containers = all;
        return this;
    }

    /** One container {@code main} with these quantities by resource. */
    public PodBuilder requesting(Map<String, String> quantities) {
        return containers(List.of(new ContainerResources("main", ContainerRole.APP, quantities)));
    }

    /** One container {@code main} with that much of one resource. */
    public PodBuilder requesting(String resource, int amount) {
        return requesting(Map.of(resource, String.valueOf(amount)));
    }

    /** It names these claims. */
    public PodBuilder claims(PodClaims all) {
        claims = all;
        return this;
    }

    public PodState build() {
        return new PodState(
                ref,
                node,
                ended,
                priority,
                deadline,
                controller,
                annotations,
                containers,
                Set.of(),
                new PodScheduling(
                        nodes, List.of(), group, List.of(), unschedulable, failure, "", nominatedNode, heldNode),
                KubeletReport.of(KubeletReport.Admission.PENDING),
                null,
                claims);
    }
}
