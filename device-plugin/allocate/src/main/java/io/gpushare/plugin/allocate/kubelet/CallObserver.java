package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.time.Machine;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Sees every call of the kubelet: how long it waits for the responses, and whether it waits now. */
final class CallObserver implements ServerInterceptor {
    private final KubeletConnection.Listener listener;
    private final AtomicInteger inFlight = new AtomicInteger();

    CallObserver(KubeletConnection.Listener listener) {
        this.listener = listener;
    }

    /** Whether the kubelet waits for no response. */
    boolean idle() {
        return inFlight.get() == 0;
    }

    /** The kubelet begins to watch a list. */
    void watched() {
        listener.watched();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (call.getMethodDescriptor().getType() != MethodType.UNARY) {
            return next.startCall(call, headers);
        }
        long begin = Machine.here().nanos();
        String name = Objects.requireNonNull(call.getMethodDescriptor().getBareMethodName());
        inFlight.incrementAndGet();
        return next.startCall(
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        listener.responded(name, Machine.here().nanos() - begin);
                        super.close(status, trailers);
                        inFlight.decrementAndGet();
                    }
                },
                headers);
    }
}
