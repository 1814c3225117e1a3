package io.gpushare.plugin.node.cluster;

import io.gpushare.kubernetes.Informer;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.pod.KubeletReport;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches the pods of this node, and lists them live when the watch is behind the kubelet. */
public final class NodePodInformer implements AutoCloseable {
    /** Receives every change. */
    public interface Listener {
        void changed(NodePod pod);

        void deleted(String uid);

        /** The kubelet rejected the pod because it could not allocate its devices. */
        void rejected(PodRef pod, String message);
    }

    private static final Logger LOG = LoggerFactory.getLogger(NodePodInformer.class);

    private final KubernetesApi api;
    private final String node;
    private final DemandCodec demands;
    // The client's own deadline is longer than the kubelet may wait.
    private final ExecutorService lists =
            Executors.newThreadPerTaskExecutor(Machine.here().threads("live-list-"));
    private final AtomicLong received = new AtomicLong();
    private volatile boolean complete;
    private @Nullable Informer watched;

    public NodePodInformer(KubernetesApi api, String node, DemandCodec demands) {
        this.api = api;
        this.node = node;
        this.demands = demands;
    }

    /** Starts to watch. */
    public void watch(Listener listener) {
        watched = api.pods().watch(node, new Informer.Listener<>() {
            @Override
            public void changed(PodState now) {
                listener.changed(pod(now));
                received.incrementAndGet();
                if (!now.kubelet().rejection().isEmpty()) {
                    listener.rejected(now.ref(), now.kubelet().rejection());
                }
            }

            @Override
            public void gone(PodState last) {
                listener.deleted(last.ref().uid());
            }
        });
    }

    /** Whether the listener has received all pods a first time. An informer is synced before that. */
    public boolean synced() {
        if (!complete && watched != null && watched.synced()) {
            complete = received.get() >= watched.size();
        }
        return complete;
    }

    /** Lists the pods at the API server; empty when it does not respond within the timeout. */
    public Optional<List<NodePod>> live(Duration timeout) {
        Callable<List<PodState>> list = () -> api.pods().onNode(node);
        Future<List<PodState>> response = lists.submit(list);
        try {
            return Optional.of(Machine.here().get(response, timeout).stream()
                    .map(this::pod)
                    .toList());
        } catch (TimeoutException e) {
            response.cancel(true);
            LOG.warn("the API server did not list the pods of this node within {} ms", timeout.toMillis());
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof KubernetesException refused)) {
                throw new IllegalStateException(e.getCause());
            }
            LOG.warn("{}", refused.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    private NodePod pod(PodState state) {
        Map<String, String> annotations = state.annotations();
        List<ContainerResources> containers = state.containers();
        Decoded<Allocation> allocation = AllocationCodec.decode(annotations);
        ForeignPod foreign = demands.foreign(containers, annotations, node);
        // The card preferences in annotations matter only until cards are allocated.
        Decoded<Demand> demand = allocation instanceof Decoded.Absent && !foreign.bound()
                ? demands.decode(containers, annotations)
                : demands.decodeBound(containers, annotations);
        return new NodePod(
                state.ref(),
                state.priority().created(),
                state.ended(),
                demand,
                demand.valid().map(valid -> counted(allocation, valid)).orElse(allocation),
                containers.stream().map(ContainerResources::name).toList(),
                state.kubelet().admission() == KubeletReport.Admission.ADMITTED
                        && !annotations.containsKey(AnnotationKeys.MIRROR),
                state.kubelet().started(),
                demands.former(containers),
                foreign,
                state.claims().uses(),
                state.ownJaxFraction());
    }

    private static Decoded<Allocation> counted(Decoded<Allocation> allocation, Demand demand) {
        return allocation
                .valid()
                .<Decoded<Allocation>>map(valid -> new Decoded.Valid<>(valid.withoutExcessPercents(demand)))
                .orElse(allocation);
    }

    @Override
    public void close() {
        if (watched != null) {
            watched.close();
        }
        lists.shutdownNow();
    }
}
