package io.gpushare.histories.grpc;

import io.gpushare.histories.machine.SimulatedMachine;
import io.grpc.BindableService;
import io.grpc.CompressorRegistry;
import io.grpc.DecompressorRegistry;
import io.grpc.HandlerRegistry;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server on one socket of a node. */
final class DirectServer extends Server {
    private final NodeSockets sockets;
    private final SimulatedMachine machine;
    private final Path socket;
    private final List<ServerServiceDefinition> services;
    private final Executor executor;
    private final Set<DirectCall<?, ?>> calls = new LinkedHashSet<>();
    private final Semaphore ended = new Semaphore(0);
    private boolean shut;

    private DirectServer(Builder builder) {
        sockets = builder.sockets;
        machine = builder.machine;
        socket = builder.socket;
        Executor given = builder.executor;
        executor = given == null ? task -> machine.start("call", task) : given;
        services = builder.services.stream()
                .map(service -> ServerInterceptors.intercept(service, builder.interceptors))
                .toList();
    }

    /** Makes a server. */
    static final class Builder extends ServerBuilder<Builder> {
        private final NodeSockets sockets;
        private final SimulatedMachine machine;
        private final Path socket;
        private final List<ServerServiceDefinition> services = new ArrayList<>();
        private final List<ServerInterceptor> interceptors = new ArrayList<>();
        private @Nullable Executor executor;

        Builder(NodeSockets sockets, SimulatedMachine machine, Path socket) {
            this.sockets = sockets;
            this.machine = machine;
            this.socket = socket;
        }

        @Override
        public Builder directExecutor() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Builder executor(@Nullable Executor given) {
            executor = given;
            return this;
        }

        @Override
        public Builder addService(ServerServiceDefinition service) {
            services.add(service);
            return this;
        }

        @Override
        public Builder addService(BindableService service) {
            return addService(service.bindService());
        }

        @Override
        public Builder intercept(ServerInterceptor interceptor) {
            interceptors.add(interceptor);
            return this;
        }

        @Override
        public Builder maxInboundMessageSize(int bytes) {
            return this;
        }

        @Override
        public Builder fallbackHandlerRegistry(@Nullable HandlerRegistry registry) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Builder useTransportSecurity(File chain, File key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Builder decompressorRegistry(@Nullable DecompressorRegistry registry) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Builder compressorRegistry(@Nullable CompressorRegistry registry) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Server build() {
            return new DirectServer(this);
        }
    }

    SimulatedMachine machine() {
        return machine;
    }

    Executor executor() {
        return executor;
    }

    @Nullable
    ServerMethodDefinition<?, ?> method(String name) {
        for (ServerServiceDefinition service : services) {
            ServerMethodDefinition<?, ?> method = service.getMethod(name);
            if (method != null) {
                return method;
            }
        }
        return null;
    }

    void opened(DirectCall<?, ?> call) {
        calls.add(call);
    }

    void closed(DirectCall<?, ?> call) {
        calls.remove(call);
        endIfIdle();
    }

    private void endIfIdle() {
        if (shut && calls.isEmpty()) {
            ended.release();
        }
    }

    /** That process is gone: if it is this server's, all its calls fail; if it is a caller, its calls are cancelled. */
    void died(SimulatedMachine gone) {
        for (DirectCall<?, ?> call : List.copyOf(calls)) {
            if (machine == gone) {
                call.lost();
            } else if (call.caller() == gone) {
                call.cancelled();
            }
        }
        if (machine == gone) {
            shut = true;
        }
    }

    @Override
    public Server start() throws IOException {
        sockets.listen(socket, this);
        return this;
    }

    @Override
    public Server shutdown() {
        shut = true;
        sockets.close(socket, this);
        endIfIdle();
        return this;
    }

    @Override
    public Server shutdownNow() {
        shutdown();
        List.copyOf(calls).forEach(call -> call.end(Status.UNAVAILABLE.withDescription("the server stops")));
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
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (!isTerminated()) {
            machine.acquire(ended, Duration.ofNanos(unit.toNanos(timeout)));
        }
        return isTerminated();
    }

    @Override
    public void awaitTermination() throws InterruptedException {
        while (!isTerminated()) {
            ended.acquire();
        }
    }
}
