package io.gpushare.histories.world;

import io.gpushare.histories.machine.SimulatedMachine;
import io.gpushare.histories.machine.Turns;
import io.gpushare.simulated.scheduler.ExtenderWire;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The Service of the extenders, from kube-scheduler's machine: it selects the pod that has the leader's label. */
final class ServiceWire implements ExtenderWire {
    private static final Duration ENDPOINTS = Duration.ofSeconds(1);

    private final Turns turns;
    private final Network network;
    private final LocalApi api;
    private final SimulatedMachine caller;
    /** The replicas by the names of their pods. */
    private final Map<String, ExtenderProcess> replicas;

    private @Nullable String endpoint;

    ServiceWire(
            Turns turns,
            Network network,
            LocalApi api,
            SimulatedMachine caller,
            Map<String, ExtenderProcess> replicas) {
        this.turns = turns;
        this.network = network;
        this.api = api;
        this.caller = caller;
        this.replicas = replicas;
        look();
    }

    /** As kube-proxy, it is behind. */
    private void look() {
        endpoint = ExtenderProcess.leader(api);
        if (!caller.dead()) {
            turns.after(ENDPOINTS, this::look);
        }
    }

    @Override
    public Response call(String verb, byte[] body, Duration timeout) throws IOException, InterruptedException {
        ExtenderProcess called = replicas.get(String.valueOf(endpoint));
        if (called == null || called.machine().dead()) {
            throw new ConnectException("connection refused");
        }
        CompletableFuture<Response> response = new CompletableFuture<>();
        if (!network.loses(caller) && !network.loses(called.machine())) {
            CompletableFuture<Response> made = new CompletableFuture<>();
            turns.after(network.delay(), () -> called.handle(verb, body, made));
            var _ = made.thenAccept(answer -> {
                if (!network.loses(caller) && !network.loses(called.machine())) {
                    turns.after(network.delay(), () -> response.complete(answer));
                }
            });
        }
        try {
            return caller.get(response, timeout);
        } catch (TimeoutException _) {
            throw new SocketTimeoutException("context deadline exceeded");
        } catch (ExecutionException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        // Nothing is kept open.
    }
}
