package io.gpushare.simulated.kubelet.devices;

import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegistrationGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kubelet's Registration service. It validates a request and dials the plugin before it responds. */
public final class RegistrationService extends RegistrationGrpc.RegistrationImplBase {
    private static final Logger LOG = LoggerFactory.getLogger(RegistrationService.class);
    private static final Pattern QUALIFIED =
            Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    private final Path directory;
    private final KubeletSockets sockets;
    private final BiConsumer<RegisterRequest, PluginConnection> registered;

    /** Calls {@code registered} for each accepted plugin, before the response to its Register call. */
    public RegistrationService(
            Path directory, KubeletSockets sockets, BiConsumer<RegisterRequest, PluginConnection> registered) {
        this.directory = directory;
        this.sockets = sockets;
        this.registered = registered;
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> observer) {
        String resource = request.getResourceName();
        if (!request.getVersion().equals("v1beta1")) {
            refuse(
                    observer,
                    "requested API version \"" + request.getVersion()
                            + "\" is not supported by kubelet. Supported version is [\"v1beta1\"]");
            return;
        }
        boolean extended = QUALIFIED.matcher(resource).matches()
                && !resource.substring(0, resource.indexOf('/')).contains("kubernetes.io")
                && !resource.startsWith("requests.");
        if (!extended) {
            refuse(observer, "the ResourceName \"" + resource + "\" is invalid");
            return;
        }
        try {
            Path socket = directory.resolve(request.getEndpoint());
            registered.accept(request, PluginConnection.dial(resource, sockets.connect(socket)));
            LOG.info("plugin registered for {}", resource);
            observer.onNext(Empty.getDefaultInstance());
            observer.onCompleted();
        } catch (StatusRuntimeException e) {
            LOG.warn("plugin at {} can't be dialled: {}", request.getEndpoint(), e.toString());
            refuse(observer, "failed to dial device plugin: " + e.getMessage());
        }
    }

    private static void refuse(StreamObserver<Empty> observer, String why) {
        observer.onError(Status.UNKNOWN.withDescription(why).asRuntimeException());
    }
}
