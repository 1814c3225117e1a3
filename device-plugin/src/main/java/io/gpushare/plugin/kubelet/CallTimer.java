package io.gpushare.plugin.kubelet;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Objects;
import java.util.function.ObjLongConsumer;

/** Measures how long the kubelet waits for the responses. */
record CallTimer(ObjLongConsumer<String> observed) implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (call.getMethodDescriptor().getType() != MethodType.UNARY) {
            return next.startCall(call, headers);
        }
        long begin = System.nanoTime();
        String name = Objects.requireNonNull(call.getMethodDescriptor().getBareMethodName());
        return next.startCall(
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        observed.accept(name, System.nanoTime() - begin);
                        super.close(status, trailers);
                    }
                },
                headers);
    }
}
