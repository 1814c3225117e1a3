package io.gpushare.api;

import static io.gpushare.api.WireAssertions.field;
import static io.gpushare.api.WireAssertions.fieldsOf;
import static io.gpushare.api.WireAssertions.message;
import static io.gpushare.api.WireAssertions.methodsOf;
import static io.gpushare.api.WireAssertions.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.gpushare.api.dra.v1.DRAPluginGrpc;
import io.gpushare.api.dra.v1.Device;
import io.gpushare.api.dra.v1.DraProto;
import io.gpushare.api.dra.v1.NodePrepareResourceResponse;
import io.gpushare.api.dra.v1.NodePrepareResourcesRequest;
import io.gpushare.api.dra.v1.NodePrepareResourcesResponse;
import io.gpushare.api.drahealth.v1alpha1.DRAResourceHealthGrpc;
import io.gpushare.api.drahealth.v1alpha1.DeviceHealth;
import io.gpushare.api.drahealth.v1alpha1.DeviceIdentifier;
import io.gpushare.api.drahealth.v1alpha1.DraHealthProto;
import io.gpushare.api.drahealth.v1alpha1.HealthStatus;
import io.gpushare.api.drahealth.v1alpha1.NodeWatchResourcesResponse;
import io.gpushare.api.pluginregistration.v1.PluginInfo;
import io.gpushare.api.pluginregistration.v1.PluginRegistrationProto;
import io.gpushare.api.pluginregistration.v1.RegistrationGrpc;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DraWireTest {
    private static final String UID = "6e1c8b0a-0000-4000-8000-000000000001";
    private static final String CARD = "gpu-4e9a1c6e-0000-4000-8000-000000000001";

    @Test
    void everyFieldHasTheKubeletsNumberAndType() {
        assertThat(Stream.of(
                                DraProto.getDescriptor(),
                                DraHealthProto.getDescriptor(),
                                PluginRegistrationProto.getDescriptor())
                        .flatMap(file -> fieldsOf(file).stream()))
                .containsExactlyInAnyOrder(
                        "NodePrepareResourcesRequest.claims = 1 repeated Claim",
                        "NodePrepareResourcesResponse.claims = 1 map",
                        "NodePrepareResourceResponse.devices = 1 repeated Device",
                        "NodePrepareResourceResponse.error = 2 string",
                        "Device.request_names = 1 repeated string",
                        "Device.pool_name = 2 string",
                        "Device.device_name = 3 string",
                        "Device.cdi_device_ids = 4 repeated string",
                        "Device.share_id = 5 string",
                        "NodeUnprepareResourcesRequest.claims = 1 repeated Claim",
                        "NodeUnprepareResourcesResponse.claims = 1 map",
                        "NodeUnprepareResourceResponse.error = 1 string",
                        "Claim.namespace = 1 string",
                        "Claim.uid = 2 string",
                        "Claim.name = 3 string",
                        "NodeWatchResourcesResponse.devices = 1 repeated DeviceHealth",
                        "DeviceHealth.device = 1 DeviceIdentifier",
                        "DeviceHealth.health = 2 enum",
                        "DeviceHealth.last_updated_time = 3 int64",
                        "DeviceHealth.health_check_timeout_seconds = 4 int64",
                        "DeviceHealth.message = 5 string",
                        "DeviceIdentifier.pool_name = 1 string",
                        "DeviceIdentifier.device_name = 2 string",
                        "PluginInfo.type = 1 string",
                        "PluginInfo.name = 2 string",
                        "PluginInfo.endpoint = 3 string",
                        "PluginInfo.supported_versions = 4 repeated string",
                        "RegistrationStatus.plugin_registered = 1 bool",
                        "RegistrationStatus.error = 2 string");
    }

    @Test
    void theServicesHaveTheKubeletsNames() {
        assertThat(methodsOf(DRAPluginGrpc.getServiceDescriptor()))
                .containsExactlyInAnyOrder(
                        "k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources",
                        "k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodeUnprepareResources");
        assertThat(methodsOf(DRAResourceHealthGrpc.getServiceDescriptor()))
                .containsExactly("v1alpha1.DRAResourceHealth/NodeWatchResources (stream)");
        assertThat(methodsOf(RegistrationGrpc.getServiceDescriptor()))
                .containsExactlyInAnyOrder(
                        "pluginregistration.Registration/GetInfo",
                        "pluginregistration.Registration/NotifyRegistrationStatus");
    }

    @Test
    void aRegistrationIsWrittenAsTheKubeletReadsIt() throws InvalidProtocolBufferException {
        PluginInfo info = PluginInfo.newBuilder()
                .setType("DRAPlugin")
                .setName("gpu.example.com")
                .setEndpoint("/var/lib/kubelet/plugins/gpu.example.com/dra.sock")
                .addSupportedVersions("v1.DRAPlugin")
                .addSupportedVersions("v1alpha1.DRAResourceHealth")
                .build();

        assertThat(UnknownFieldSet.parseFrom(info.toByteString()))
                .isEqualTo(message(
                        field(1, "DRAPlugin"),
                        field(2, "gpu.example.com"),
                        field(3, "/var/lib/kubelet/plugins/gpu.example.com/dra.sock"),
                        field(4, "v1.DRAPlugin"),
                        field(4, "v1alpha1.DRAResourceHealth")));
    }

    @Test
    void aPreparedClaimIsReadAndAnsweredOnTheKubeletsNumbers() throws InvalidProtocolBufferException {
        NodePrepareResourcesRequest request = NodePrepareResourcesRequest.parseFrom(message(
                        field(1, message(field(1, "team"), field(2, UID), field(3, "worker"))))
                .toByteString());
        NodePrepareResourcesResponse response = NodePrepareResourcesResponse.newBuilder()
                .putClaims(
                        UID,
                        NodePrepareResourceResponse.newBuilder()
                                .addDevices(Device.newBuilder()
                                        .addRequestNames("gpu")
                                        .setPoolName("node-1")
                                        .setDeviceName(CARD)
                                        .addCdiDeviceIds("gpushare.io/claim=a")
                                        .setShareId("b"))
                                .build())
                .build();

        assertThat(request.getClaims(0).getNamespace()).isEqualTo("team");
        assertThat(request.getClaims(0).getUid()).isEqualTo(UID);
        assertThat(request.getClaims(0).getName()).isEqualTo("worker");
        assertThat(UnknownFieldSet.parseFrom(response.toByteString()))
                .isEqualTo(message(field(
                        1,
                        message(
                                field(1, UID),
                                field(
                                        2,
                                        message(field(
                                                1,
                                                message(
                                                        field(1, "gpu"),
                                                        field(2, "node-1"),
                                                        field(3, CARD),
                                                        field(4, "gpushare.io/claim=a"),
                                                        field(5, "b")))))))));
    }

    @Test
    void aShareIsAbsentRatherThanEmpty() {
        assertThat(Device.newBuilder().build().hasShareId()).isFalse();
        assertThat(Device.newBuilder().setShareId("").build().hasShareId()).isTrue();
    }

    @Test
    void theHealthOfACardIsWrittenAsTheKubeletReadsIt() throws InvalidProtocolBufferException {
        NodeWatchResourcesResponse response = NodeWatchResourcesResponse.newBuilder()
                .addDevices(DeviceHealth.newBuilder()
                        .setDevice(DeviceIdentifier.newBuilder()
                                .setPoolName("node-1")
                                .setDeviceName(CARD))
                        .setHealth(HealthStatus.UNHEALTHY)
                        .setLastUpdatedTime(1_700_000_000)
                        .setHealthCheckTimeoutSeconds(30)
                        .setMessage("Xid 79"))
                .build();

        assertThat(UnknownFieldSet.parseFrom(response.toByteString()))
                .isEqualTo(message(field(
                        1,
                        message(
                                field(1, message(field(1, "node-1"), field(2, CARD))),
                                number(2, 2),
                                number(3, 1_700_000_000),
                                number(4, 30),
                                field(5, "Xid 79")))));
    }
}
