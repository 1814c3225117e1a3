package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.Informer;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodState;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.plugin.node.NodePod;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pods of this node, watched, and listed live where the watch is behind the kubelet. */
public final class NodePodInformer implements AutoCloseable {
    /** Told of every change; {@code gone} by uid. */
    public interface Listener {
        void changed(NodePod pod);

        void gone(String uid);
    }

    private static final Logger LOG = LoggerFactory.getLogger(NodePodInformer.class);

    private final KubernetesApi api;
    private final String node;
    private final DemandCodec demands;
    // The client's own deadline is longer than the kubelet may be kept waiting.
    private final ExecutorService lists = Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().daemon().name("live-list-", 0).factory());
    private @Nullable Informer<PodState> watched;

    public NodePodInformer(KubernetesApi api, String node, ResourceNames names) {
        this.api = Objects.requireNonNull(api);
        this.node = Objects.requireNonNull(node);
        this.demands = new DemandCodec(names);
    }

    /** Begins to watch. */
    public void watch(Listener listener) {
        watched = api.pods().watch(node, new Informer.Listener<>() {
            @Override
            public void changed(PodState now) {
                listener.changed(pod(now));
            }

            @Override
            public void gone(PodState last) {
                listener.gone(last.ref().uid());
            }
        });
    }

    /** Whether the pods have been told a first time. */
    public boolean synced() {
        return watched != null && watched.synced();
    }

    /** The pods as the API server has them right now; empty when it does not answer in that time. */
    public Optional<List<NodePod>> live(Duration time) {
        Callable<List<PodState>> list = () -> api.pods().onNode(node);
        Future<List<PodState>> answer = lists.submit(list);
        try {
            return Optional.of(answer.get(time.toMillis(), TimeUnit.MILLISECONDS).stream()
                    .map(this::pod)
                    .toList());
        } catch (TimeoutException e) {
            answer.cancel(true);
            LOG.warn("the API server did not list the pods of this node within {} ms", time.toMillis());
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
        Decoded<Allocation> allocation = AllocationCodec.decode(state.annotations());
        // Which cards would do is a question only until they are chosen.
        Decoded<Demand> demand = allocation instanceof Decoded.Absent
                ? demands.decode(state.containers(), state.annotations())
                : demands.decode(state.containers());
        return new NodePod(state.ref(), state.created(), state.ended(), demand, allocation, state.started());
    }

    @Override
    public void close() {
        if (watched != null) {
            watched.close();
        }
        lists.shutdownNow();
    }
}
