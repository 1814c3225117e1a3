package io.gpushare.histories.grpc;

import io.gpushare.histories.machine.SimulatedMachine;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One call, on both sides. */
final class DirectCall<Q, R> extends ClientCall<Q, R> {
    /** Between two attempts of a call that waits for its server. */
    private static final Duration RETRY = Duration.ofMillis(100);
    /** gRPC measures deadlines on the machine's clock: what passed of it meanwhile must not matter. */
    private static final long ROUND = TimeUnit.SECONDS.toNanos(1);

    private final DirectChannel channel;
    private final MethodDescriptor<Q, R> method;
    private final CallOptions options;
    private final Executor toClient;
    private ClientCall.@Nullable Listener<R> client;
    private @Nullable DirectServer server;
    private @Nullable Executor toServer;
    private ServerCall.@Nullable Listener<Q> handler;
    private final List<Runnable> early = new ArrayList<>();
    private boolean over;

    DirectCall(DirectChannel channel, MethodDescriptor<Q, R> method, CallOptions options) {
        this.channel = channel;
        this.method = method;
        this.options = options;
        Executor given = options.getExecutor();
        toClient = new InOrder(given == null ? channel.executor() : given);
    }

    SimulatedMachine caller() {
        return channel.machine();
    }

    @Override
    public void start(ClientCall.Listener<R> listener, Metadata headers) {
        client = listener;
        channel.opened(this);
        if (options.getDeadline() != null) {
            long left = options.getDeadline().timeRemaining(TimeUnit.NANOSECONDS);
            channel.sockets()
                    .turns()
                    .after(
                            Duration.ofNanos((left + ROUND - 1) / ROUND * ROUND),
                            () -> abandon(Status.DEADLINE_EXCEEDED.withDescription("deadline exceeded")));
        }
        connect();
    }

    private void connect() {
        if (over) {
            return;
        }
        Optional<DirectServer> listening =
                channel.isShutdown() ? Optional.empty() : channel.sockets().at(channel.socket());
        if (channel.sockets().fails(channel.socket())) {
            if (options.getDeadline() == null
                    || channel.sockets().turns().random().nextBoolean()) {
                end(Status.UNAVAILABLE.withDescription("connection refused: " + channel.socket()));
            }
        } else if (listening.isPresent()) {
            open(listening.get());
        } else if (options.isWaitForReady() && !channel.isShutdown()) {
            channel.sockets().turns().after(RETRY, this::connect);
        } else {
            end(Status.UNAVAILABLE.withDescription("connection refused: " + channel.socket()));
        }
    }

    @SuppressWarnings("unchecked") // both sides have the same descriptor
    private void open(DirectServer found) {
        ServerMethodDefinition<Q, R> definition =
                (ServerMethodDefinition<Q, R>) found.method(method.getFullMethodName());
        if (definition == null) {
            end(Status.UNIMPLEMENTED.withDescription(method.getFullMethodName()));
            return;
        }
        server = found;
        found.opened(this);
        toServer = new InOrder(found.executor());
        toServer.execute(() -> {
            if (!over) {
                handler = definition.getServerCallHandler().startCall(new Handled(), new Metadata());
                handler.onReady();
            }
        });
        early.forEach(toServer::execute);
        early.clear();
        toClient.execute(() -> Objects.requireNonNull(client).onReady());
    }

    private void atServer(Runnable work) {
        Executor executor = toServer;
        Runnable live = () -> {
            if (handler != null) {
                work.run();
            }
        };
        if (executor == null) {
            early.add(live);
        } else {
            executor.execute(live);
        }
    }

    @Override
    public void request(int messages) {
        // Each message is handed over at once.
    }

    @Override
    public void sendMessage(Q message) {
        atServer(() -> Objects.requireNonNull(handler).onMessage(message));
    }

    @Override
    public void halfClose() {
        atServer(() -> Objects.requireNonNull(handler).onHalfClose());
    }

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {
        abandon(Status.CANCELLED.withDescription(message).withCause(cause));
    }

    /** The client gives up. */
    void abandon(Status why) {
        if (!over) {
            end(why);
            cancelServer();
        }
    }

    /** The caller's process is gone. */
    void cancelled() {
        if (!over) {
            over = true;
            closed();
            cancelServer();
        }
    }

    private void cancelServer() {
        atServer(() -> Objects.requireNonNull(handler).onCancel());
    }

    /** The server's process is gone. */
    void lost() {
        end(Status.UNAVAILABLE.withDescription("io exception: connection reset by peer"));
    }

    /** Ends the call for the client. */
    void end(Status status) {
        if (!over) {
            over = true;
            closed();
            toClient.execute(() -> Objects.requireNonNull(client).onClose(status, new Metadata()));
        }
    }

    private void closed() {
        channel.closed(this);
        DirectServer listening = server;
        if (listening != null) {
            listening.closed(this);
        }
    }

    /** The server's side. */
    private final class Handled extends ServerCall<Q, R> {
        @Override
        public void request(int messages) {
            // Each message is handed over at once.
        }

        @Override
        public void sendHeaders(Metadata headers) {
            toClient.execute(() -> Objects.requireNonNull(client).onHeaders(headers));
        }

        @Override
        public void sendMessage(R message) {
            if (!over) {
                toClient.execute(() -> Objects.requireNonNull(client).onMessage(message));
            }
        }

        @Override
        public void close(Status status, Metadata trailers) {
            end(status);
            ServerCall.Listener<Q> listener = handler;
            if (listener != null) {
                listener.onComplete();
            }
        }

        @Override
        public boolean isCancelled() {
            return over;
        }

        @Override
        public boolean isReady() {
            return !over;
        }

        @Override
        public MethodDescriptor<Q, R> getMethodDescriptor() {
            return method;
        }

        @Override
        public Attributes getAttributes() {
            return Attributes.EMPTY;
        }
    }
}
