package io.gpushare.histories.grpc;

import io.gpushare.histories.machine.SimulatedMachine;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** A channel to one socket of a node. */
final class DirectChannel extends ManagedChannel {
    private final NodeSockets sockets;
    private final SimulatedMachine machine;
    private final Path socket;
    private final Set<DirectCall<?, ?>> calls = new LinkedHashSet<>();
    private boolean shut;

    DirectChannel(NodeSockets sockets, SimulatedMachine machine, Path socket) {
        this.sockets = sockets;
        this.machine = machine;
        this.socket = socket;
    }

    NodeSockets sockets() {
        return sockets;
    }

    SimulatedMachine machine() {
        return machine;
    }

    Path socket() {
        return socket;
    }

    Executor executor() {
        return task -> machine.start("response", task);
    }

    void opened(DirectCall<?, ?> call) {
        calls.add(call);
    }

    void closed(DirectCall<?, ?> call) {
        calls.remove(call);
    }

    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
        return new DirectCall<>(this, method, options);
    }

    @Override
    public String authority() {
        return "localhost";
    }

    @Override
    public ManagedChannel shutdown() {
        shut = true;
        return this;
    }

    @Override
    public boolean isShutdown() {
        return shut;
    }

    @Override
    public boolean isTerminated() {
        return shut && calls.isEmpty();
    }

    @Override
    public ManagedChannel shutdownNow() {
        shut = true;
        List.copyOf(calls)
                .forEach(call -> call.abandon(Status.UNAVAILABLE.withDescription("the channel is shut down")));
        return this;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }
}
