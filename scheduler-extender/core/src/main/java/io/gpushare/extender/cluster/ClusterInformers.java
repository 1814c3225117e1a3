package io.gpushare.extender.cluster;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.kubernetes.Informer;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.model.PodRef;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.Taint;
import io.gpushare.model.pod.PodState;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The informers on nodes and pods, which keep the ledger up to date with the API server. */
public final class ClusterInformers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterInformers.class);

    private final KubernetesApi api;
    private final Ledger ledger;
    private final PodFeed feed;
    private final PlacementOutcomes outcomes;
    private final AdmissionReporter admissions;
    private final Informer nodes;
    private final Informer pods;
    private final Events<NodeState> nodeEvents;
    private final Events<PodState> podEvents;
    private final String pluginNamespace;
    private final WaitingTemplates templates = new WaitingTemplates();
    private final Map<String, List<Taint>> softTaints = new ConcurrentHashMap<>();
    private volatile boolean caughtUp;

    /**
     * Starts to watch.
     *
     * @param feed receives the pods for the ledger
     * @param outcomes receives what kubelets report of bound pods, and the cards that they leave
     * @param pluginNamespace the namespace of the device plugins
     */
    public ClusterInformers(
            KubernetesApi api, Ledger ledger, PodFeed feed, PlacementOutcomes outcomes, String pluginNamespace) {
        this.api = api;
        this.ledger = ledger;
        this.feed = feed;
        this.outcomes = outcomes;
        this.admissions = new AdmissionReporter(api.pods(), outcomes);
        nodeEvents = new Events<>(this::nodeSeen, this::nodeGone);
        this.pluginNamespace = pluginNamespace;
        podEvents = new Events<>(this::podSeen, this::podGone);
        nodes = api.nodes().watch(nodeEvents);
        pods = api.pods().watch(null, podEvents);
    }

    private void nodeSeen(NodeState node) {
        ledger.updateAddress(node.name(), node.address());
        ledger.updateAllocatable(node.name(), node.devices());
        ledger.updateNode(node.name(), node.annotations(), node.allocatable());
        NodeFacts facts = node.facts();
        ledger.updateFacts(facts);
        if (facts.softTaints().isEmpty()) {
            softTaints.remove(node.name());
        } else {
            softTaints.put(node.name(), facts.softTaints());
        }
        feed.nodeChanged(node.name());
    }

    private void nodeGone(NodeState node) {
        ledger.removeNode(node.name());
        softTaints.remove(node.name());
        feed.nodeChanged(node.name());
    }

    private void podSeen(PodState pod) {
        if (isPlugin(pod)) {
            ledger.updatePluginMetrics(String.valueOf(pod.node()), pod.ref(), pod.ended() ? null : pod.metrics());
        }
        admissions.seen(pod);
        templates.seen(pod);
        if (pod.ended()) {
            leaves(pod);
        }
        feed.updatePod(pod);
    }

    private void podGone(PodState pod) {
        if (isPlugin(pod)) {
            ledger.updatePluginMetrics(String.valueOf(pod.node()), pod.ref(), null);
        }
        admissions.gone(pod.ref());
        templates.gone(pod.ref());
        leaves(pod);
        feed.removePod(pod.ref());
    }

    /** Called before the ledger gives the pod's cards to others. */
    private void leaves(PodState pod) {
        ledger.podEntry(pod.ref().uid()).stream()
                .filter(entry -> entry.node() != null)
                .flatMap(entry -> entry.holdings().stream())
                .forEach(holding -> outcomes.left().add(holding.node(), holding.allocation()));
    }

    /** Only in the plugins' namespace: elsewhere any user may give a pod these labels and would be asked for usage. */
    private boolean isPlugin(PodState pod) {
        return pod.metrics() != null
                && pod.node() != null
                && pod.ref().namespace().equals(pluginNamespace);
    }

    /** Whether the ledger has every object of the first lists; stays true. */
    public boolean caughtUp() {
        if (!caughtUp && nodeEvents.all(nodes) && podEvents.all(pods)) {
            caughtUp = true;
            LOG.info("the cluster has been read: {} nodes, {} pods", nodes.size(), pods.size());
        }
        return caughtUp;
    }

    /** The taints that pods rather avoid, of the nodes that have some. */
    public Map<String, List<Taint>> softTaints() {
        return softTaints;
    }

    /** The templates of claims that unbound pods name. */
    public WaitingTemplates templates() {
        return templates;
    }

    /** A check, which begins now, that the ledger has every bound pod. */
    CatchUp catchUp() {
        return new CatchUp(
                new CatchUp.BoundPods() {
                    @Override
                    public void each(Consumer<PodState> consumer) throws KubernetesException {
                        api.pods().eachBound(consumer);
                    }

                    @Override
                    public Optional<PodState> read(PodRef pod) throws KubernetesException {
                        return api.pods().read(pod.namespace(), pod.name());
                    }
                },
                ledger::knows);
    }

    /** The time of the last message from the API server, by resource. */
    public Map<String, Instant> heard() {
        Map<String, Instant> heard = new HashMap<>(feed.heard());
        heard.put("nodes", nodes.lastHeard());
        heard.put("pods", pods.lastHeard());
        return heard;
    }

    /** The number of changes passed to the ledger, by resource. */
    public Map<String, Long> changes() {
        return Map.of("nodes", nodeEvents.changes(), "pods", podEvents.changes());
    }

    @Override
    public void close() {
        nodes.close();
        pods.close();
        admissions.close();
    }

    /**
     * Passes events to the ledger and counts them: an informer is synced before its listener has received every object.
     */
    private static final class Events<T> implements Informer.Listener<T> {
        private final Consumer<T> changed;
        private final Consumer<T> gone;
        private final AtomicLong changes = new AtomicLong();
        private final AtomicLong removals = new AtomicLong();

        Events(Consumer<T> changed, Consumer<T> gone) {
            this.changed = changed;
            this.gone = gone;
        }

        @Override
        public void changed(T now) {
            pass(changed, now);
            changes.incrementAndGet();
        }

        @Override
        public void gone(T last) {
            pass(gone, last);
            removals.incrementAndGet();
        }

        long changes() {
            return changes.get() + removals.get();
        }

        private static <T> void pass(Consumer<T> ledger, T object) {
            try {
                ledger.accept(object);
            } catch (RuntimeException e) {
                // One object that fails must not end the watch of the others.
                LOG.error("the ledger failed on {}", object, e);
            }
        }

        /** The first list comes first, one event for each object, so that a count is enough. */
        boolean all(Informer watched) {
            return watched.synced() && changes.get() >= watched.size();
        }
    }
}
