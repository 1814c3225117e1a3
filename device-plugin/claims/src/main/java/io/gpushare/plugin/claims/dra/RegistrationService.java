package io.gpushare.plugin.claims.dra;

import io.gpushare.api.pluginregistration.v1.InfoRequest;
import io.gpushare.api.pluginregistration.v1.PluginInfo;
import io.gpushare.api.pluginregistration.v1.RegistrationGrpc;
import io.gpushare.api.pluginregistration.v1.RegistrationStatus;
import io.gpushare.api.pluginregistration.v1.RegistrationStatusResponse;
import io.gpushare.model.text.Printable;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Consumer;

/** How the kubelet learns of the driver: it finds the socket, asks what is there, and says whether it uses it. */
final class RegistrationService extends RegistrationGrpc.RegistrationImplBase {
    private static final int LONGEST = 512;
    /** The kubelet takes the first one that it knows. These are not the names on the wire. */
    private static final List<String> SERVICES = List.of("v1.DRAPlugin", "v1alpha1.DRAResourceHealth");

    private final PluginInfo info;
    private final Consumer<String> outcome;

    /** @param outcome receives why the kubelet does not use the driver; empty if it does */
    RegistrationService(String driver, String endpoint, Consumer<String> outcome) {
        this.info = PluginInfo.newBuilder()
                .setType("DRAPlugin")
                .setName(driver)
                .setEndpoint(endpoint)
                .addAllSupportedVersions(SERVICES)
                .build();
        this.outcome = outcome;
    }

    @Override
    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> kubelet) {
        kubelet.onNext(info);
        kubelet.onCompleted();
    }

    @Override
    public void notifyRegistrationStatus(
            RegistrationStatus status, StreamObserver<RegistrationStatusResponse> kubelet) {
        outcome.accept(
                status.getPluginRegistered()
                        ? ""
                        : "the kubelet refuses the driver: " + Printable.line(status.getError(), LONGEST));
        kubelet.onNext(RegistrationStatusResponse.getDefaultInstance());
        kubelet.onCompleted();
    }
}
