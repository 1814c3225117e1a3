package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.AllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegistrationGrpc;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.devices.UnixSockets;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** gpushare's device plugin on one node, as far as the kubelet and the pods see it. */
final class GpusharePlugin extends DevicePluginGrpc.DevicePluginImplBase implements AutoCloseable {
    private static final String SOCKET = "aliyungpushare.sock";

    private final String node;
    private final List<String> cards;
    private final int unitsOfCard;
    private final ApiClient cluster;
    private final UnixSockets sockets = new UnixSockets();
    private final Path socket;
    private final Server server;

    /** Serves and registers with the kubelet that has this directory. */
    GpusharePlugin(String node, List<String> cards, int unitsOfCard, Path kubelet, ApiClient cluster)
            throws IOException {
        this.node = node;
        this.cards = cards;
        this.unitsOfCard = unitsOfCard;
        this.cluster = cluster;
        socket = kubelet.resolve("device-plugins").resolve(SOCKET);
        server = sockets.serve(socket, this);
        ManagedChannel channel = sockets.connect(kubelet.resolve("device-plugins/kubelet.sock"));
        RegistrationGrpc.newBlockingStub(channel)
                .register(RegisterRequest.newBuilder()
                        .setVersion("v1beta1")
                        .setEndpoint(SOCKET)
                        .setResourceName(PodSpec.MEMORY)
                        .build());
        channel.shutdownNow();
    }

    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> observer) {
        observer.onNext(DevicePluginOptions.getDefaultInstance());
        observer.onCompleted();
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> observer) {
        ListAndWatchResponse.Builder devices = ListAndWatchResponse.newBuilder();
        for (String card : cards) {
            for (int unit = 0; unit < unitsOfCard; unit++) {
                devices.addDevices(
                        Device.newBuilder().setID(card + "-_-" + unit).setHealth("Healthy"));
            }
        }
        observer.onNext(devices.build());
    }

    /** Gives the card of the oldest waiting pod with that amount. */
    @Override
    public synchronized void allocate(AllocateRequest request, StreamObserver<AllocateResponse> observer) {
        int units = request.getContainerRequests(0).getDevicesIdsCount();
        try {
            Optional<PodDocument> pod = waiting(units);
            pod.ifPresent(this::assign);
            String index = pod.map(found -> found.annotation("ALIYUN_COM_GPU_MEM_IDX"))
                    .orElse("no-gpu-has-" + units + "GiB-to-run");
            observer.onNext(AllocateResponse.newBuilder()
                    .addContainerResponses(
                            ContainerAllocateResponse.newBuilder().putEnvs("NVIDIA_VISIBLE_DEVICES", index))
                    .build());
            observer.onCompleted();
        } catch (IOException e) {
            observer.onError(Status.INTERNAL.withCause(e).asRuntimeException());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<PodDocument> waiting(int units) throws IOException, InterruptedException {
        JsonNode pods = cluster.get("/api/v1/pods?fieldSelector=spec.nodeName%3D" + node)
                .document()
                .path("items");
        return StreamSupport.stream(pods.spliterator(), false)
                .map(pod -> new PodDocument((ObjectNode) pod))
                .filter(pod -> pod.phase().equals("Pending"))
                .filter(pod -> pod.annotation("ALIYUN_COM_GPU_MEM_ASSIGNED").equals("false"))
                .filter(pod -> GpushareExtender.units(pod) == units)
                .min(Comparator.comparing(pod -> pod.annotation("ALIYUN_COM_GPU_MEM_ASSUME_TIME")));
    }

    private void assign(PodDocument pod) {
        ObjectNode patch = ApiClient.document();
        patch.putObject("metadata").putObject("annotations").put("ALIYUN_COM_GPU_MEM_ASSIGNED", "true");
        GpushareExtender.send(() -> cluster.patch(pod.path(), patch));
    }

    @Override
    public void close() {
        server.shutdownNow();
        sockets.close();
        try {
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
