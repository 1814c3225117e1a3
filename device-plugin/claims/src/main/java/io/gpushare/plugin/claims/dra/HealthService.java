package io.gpushare.plugin.claims.dra;

import io.gpushare.api.drahealth.v1alpha1.DRAResourceHealthGrpc;
import io.gpushare.api.drahealth.v1alpha1.HealthStatus;
import io.gpushare.api.drahealth.v1alpha1.NodeWatchResourcesRequest;
import io.gpushare.api.drahealth.v1alpha1.NodeWatchResourcesResponse;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.claims.CardNames;
import io.gpushare.time.PeriodicTask;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The health of the cards, which the kubelet writes into the status of their pods. It is sent again before the kubelet
 * takes it as unknown.
 */
final class HealthService extends DRAResourceHealthGrpc.DRAResourceHealthImplBase implements AutoCloseable {
    private static final Duration AGAIN = Duration.ofSeconds(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** A kubelet opens one. */
    private static final int MOST_STREAMS = 8;

    private final String pool;
    private final Supplier<Inventory> inventory;
    private final InstantSource clock;
    private final Set<ServerCallStreamObserver<NodeWatchResourcesResponse>> streams = new HashSet<>();
    private final PeriodicTask task = new PeriodicTask("health", this::send);

    HealthService(String pool, Supplier<Inventory> inventory, InstantSource clock) {
        this.pool = pool;
        this.inventory = inventory;
        this.clock = clock;
        task.start();
    }

    @Override
    public void nodeWatchResources(
            NodeWatchResourcesRequest request, StreamObserver<NodeWatchResourcesResponse> kubelet) {
        open((ServerCallStreamObserver<NodeWatchResourcesResponse>) kubelet);
        task.runSoon();
    }

    private synchronized void open(ServerCallStreamObserver<NodeWatchResourcesResponse> stream) {
        if (streams.size() >= MOST_STREAMS) {
            stream.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("there are " + MOST_STREAMS + " streams already")
                    .asRuntimeException());
            return;
        }
        stream.setOnCancelHandler(() -> ended(stream));
        streams.add(stream);
    }

    private synchronized void ended(ServerCallStreamObserver<NodeWatchResourcesResponse> stream) {
        streams.remove(stream);
    }

    /** Sends what has changed, soon. */
    void changed() {
        task.runSoon();
    }

    private synchronized Duration send() {
        if (!streams.isEmpty()) {
            NodeWatchResourcesResponse now = message();
            // One that does not read is left out: the next message has all cards again.
            streams.stream().filter(ServerCallStreamObserver::isReady).forEach(stream -> stream.onNext(now));
        }
        return AGAIN;
    }

    private NodeWatchResourcesResponse message() {
        NodeWatchResourcesResponse.Builder response = NodeWatchResourcesResponse.newBuilder();
        for (Card card : inventory.get().cards()) {
            CardNames.of(card.id()).ifPresent(name -> {
                var device = response.addDevicesBuilder()
                        .setHealth(card.health().healthy() ? HealthStatus.HEALTHY : HealthStatus.UNHEALTHY)
                        .setLastUpdatedTime(clock.instant().getEpochSecond())
                        .setHealthCheckTimeoutSeconds(TIMEOUT.toSeconds());
                device.getDeviceBuilder().setPoolName(pool).setDeviceName(name);
                if (card.health() instanceof Health.Unhealthy(String reason)) {
                    device.setMessage(reason);
                }
            });
        }
        return response.build();
    }

    @Override
    public void close() {
        task.close();
        end();
    }

    /** Ends the streams; a kubelet opens another one. */
    synchronized void end() {
        List.copyOf(streams).forEach(StreamObserver::onCompleted);
        streams.clear();
    }
}
