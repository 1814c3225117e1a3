package io.gpushare.extender.page;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.report.Explanation;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.WasteReport;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What responses of the view are made from, or why it can't be had now. */
record ViewSources(Ledger ledger, ViewAccess view, Supplier<Optional<String>> reason) {
    /** The most nodes of one response of explain. */
    static final int LARGEST_PAGE = 1000;

    /** Why this extender does not answer kube-scheduler now; empty when it does. */
    Optional<String> unready() {
        return reason.get();
    }

    void requireReady() throws RefusedException {
        Optional<String> why = unready();
        if (why.isPresent()) {
            throw new RefusedException(503, why.get());
        }
    }

    /** What is wasted, as of the last round. */
    WasteReport waste() {
        return view.waste().get();
    }

    Map<String, NodeUse> usage(List<NodeView> nodes) {
        return view.usage().of(nodes);
    }

    /** The node that a parameter names, or all nodes. */
    List<NodeView> nodes(ViewParameters parameters) throws RefusedException {
        requireReady();
        String name = parameters.text("node", "");
        return name.isEmpty()
                ? ledger.nodes()
                : List.of(ledger.node(name)
                        .orElseThrow(() -> new RefusedException(
                                404,
                                "node \"" + name + "\" is not known; kubectl gpushare shows all nodes with cards")));
    }

    Explanation explain(SchedulingPod pod) {
        return view.explainer().of(pod);
    }

    /** Explains the pod that the parameters name, as the API server has it now. */
    Explanation explain(ViewParameters parameters) throws RefusedException {
        requireReady();
        String namespace = parameters.text("namespace", "default");
        String name = parameters.text("pod", "");
        if (name.isEmpty()) {
            throw new RefusedException(400, "name the pod in 'pod' and its namespace in 'namespace'");
        }
        try {
            return view.explainer()
                    .pod(namespace, name)
                    .orElseThrow(() -> new RefusedException(
                            404,
                            "pod \"" + name + "\" not found in namespace " + namespace
                                    + "; name its namespace with -n"));
        } catch (PodApi.Failure e) {
            throw new RefusedException(502, "the pod can't be read from the API server now: " + e.getMessage());
        }
    }
}
