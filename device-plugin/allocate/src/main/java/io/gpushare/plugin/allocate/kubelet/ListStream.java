package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One ListAndWatch call. Each message is the whole list, so a kubelet that reads slowly receives only the latest one.
 */
final class ListStream {
    private final ServerCallStreamObserver<ListAndWatchResponse> kubelet;
    private @Nullable ListAndWatchResponse waiting;
    private boolean over;

    ListStream(ServerCallStreamObserver<ListAndWatchResponse> kubelet, Consumer<ListStream> ended) {
        this.kubelet = kubelet;
        kubelet.setOnReadyHandler(this::flush);
        kubelet.setOnCancelHandler(() -> ended.accept(this));
        kubelet.setOnCloseHandler(() -> ended.accept(this));
    }

    synchronized void send(ListAndWatchResponse list) {
        waiting = list;
        flush();
    }

    /** Ends the call; the kubelet has no devices of the resource from now on. */
    synchronized void end() {
        if (!kubelet.isCancelled() && !over) {
            over = true;
            kubelet.onCompleted();
        }
    }

    private synchronized void flush() {
        if (!over && waiting != null && kubelet.isReady() && !kubelet.isCancelled()) {
            kubelet.onNext(waiting);
            waiting = null;
        }
    }
}
