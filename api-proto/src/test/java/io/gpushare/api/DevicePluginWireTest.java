package io.gpushare.api;

import static io.gpushare.api.WireAssertions.field;
import static io.gpushare.api.WireAssertions.fieldsOf;
import static io.gpushare.api.WireAssertions.message;
import static io.gpushare.api.WireAssertions.methodsOf;
import static io.gpushare.api.WireAssertions.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.AllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginProto;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.api.deviceplugin.v1beta1.Mount;
import io.gpushare.api.deviceplugin.v1beta1.NUMANode;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegistrationGrpc;
import io.gpushare.api.deviceplugin.v1beta1.TopologyInfo;
import org.junit.jupiter.api.Test;

class DevicePluginWireTest {

    private static final String CARD = "GPU-4e9a1c6e-0000-4000-8000-000000000001";

    @Test
    void everyFieldHasTheKubeletsNumberAndType() {
        assertThat(fieldsOf(DevicePluginProto.getDescriptor()))
                .containsExactlyInAnyOrder(
                        "DevicePluginOptions.pre_start_required = 1 bool",
                        "DevicePluginOptions.get_preferred_allocation_available = 2 bool",
                        "RegisterRequest.version = 1 string",
                        "RegisterRequest.endpoint = 2 string",
                        "RegisterRequest.resource_name = 3 string",
                        "RegisterRequest.options = 4 DevicePluginOptions",
                        "ListAndWatchResponse.devices = 1 repeated Device",
                        "Device.ID = 1 string",
                        "Device.health = 2 string",
                        "Device.topology = 3 TopologyInfo",
                        "TopologyInfo.nodes = 1 repeated NUMANode",
                        "NUMANode.ID = 1 int64",
                        "PreferredAllocationRequest.container_requests = 1 repeated"
                                + " ContainerPreferredAllocationRequest",
                        "ContainerPreferredAllocationRequest.available_deviceIDs = 1 repeated string",
                        "ContainerPreferredAllocationRequest.must_include_deviceIDs = 2 repeated string",
                        "ContainerPreferredAllocationRequest.allocation_size = 3 int32",
                        "PreferredAllocationResponse.container_responses = 1 repeated"
                                + " ContainerPreferredAllocationResponse",
                        "ContainerPreferredAllocationResponse.deviceIDs = 1 repeated string",
                        "AllocateRequest.container_requests = 1 repeated ContainerAllocateRequest",
                        "ContainerAllocateRequest.devices_ids = 1 repeated string",
                        "AllocateResponse.container_responses = 1 repeated ContainerAllocateResponse",
                        "ContainerAllocateResponse.envs = 1 map",
                        "ContainerAllocateResponse.mounts = 2 repeated Mount",
                        "ContainerAllocateResponse.devices = 3 repeated DeviceSpec",
                        "ContainerAllocateResponse.annotations = 4 map",
                        "ContainerAllocateResponse.cdi_devices = 5 repeated CDIDevice",
                        "CDIDevice.name = 1 string",
                        "Mount.container_path = 1 string",
                        "Mount.host_path = 2 string",
                        "Mount.read_only = 3 bool",
                        "DeviceSpec.container_path = 1 string",
                        "DeviceSpec.host_path = 2 string",
                        "DeviceSpec.permissions = 3 string",
                        "PreStartContainerRequest.devices_ids = 1 repeated string");
    }

    @Test
    void theServicesHaveTheKubeletsNames() {
        assertThat(methodsOf(RegistrationGrpc.getServiceDescriptor())).containsExactly("v1beta1.Registration/Register");
        assertThat(methodsOf(DevicePluginGrpc.getServiceDescriptor()))
                .containsExactlyInAnyOrder(
                        "v1beta1.DevicePlugin/GetDevicePluginOptions",
                        "v1beta1.DevicePlugin/ListAndWatch (stream)",
                        "v1beta1.DevicePlugin/GetPreferredAllocation",
                        "v1beta1.DevicePlugin/Allocate",
                        "v1beta1.DevicePlugin/PreStartContainer");
    }

    @Test
    void aRegistrationIsWrittenAsTheKubeletReadsIt() throws InvalidProtocolBufferException {
        RegisterRequest request = RegisterRequest.newBuilder()
                .setVersion("v1beta1")
                .setEndpoint("gpushare-memory.sock")
                .setResourceName("aliyun.com/gpu-mem")
                .setOptions(DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true))
                .build();

        UnknownFieldSet wire = UnknownFieldSet.parseFrom(request.toByteString());

        assertThat(wire)
                .isEqualTo(message(
                        field(1, "v1beta1"),
                        field(2, "gpushare-memory.sock"),
                        field(3, "aliyun.com/gpu-mem"),
                        field(4, message(number(2, 1)))));
    }

    @Test
    void aDeviceListIsWrittenAsTheKubeletReadsIt() throws InvalidProtocolBufferException {
        ListAndWatchResponse response = ListAndWatchResponse.newBuilder()
                .addDevices(Device.newBuilder()
                        .setID(CARD)
                        .setHealth("Healthy")
                        .setTopology(TopologyInfo.newBuilder()
                                .addNodes(NUMANode.newBuilder().setID(1))))
                .build();

        UnknownFieldSet wire = UnknownFieldSet.parseFrom(response.toByteString());

        assertThat(wire)
                .isEqualTo(message(field(
                        1,
                        message(
                                field(1, CARD),
                                field(2, "Healthy"),
                                field(3, message(field(1, message(number(1, 1)))))))));
    }

    @Test
    void anAllocationIsReadAndAnsweredOnTheKubeletsNumbers() throws InvalidProtocolBufferException {
        AllocateRequest request = AllocateRequest.parseFrom(
                message(field(1, message(field(1, CARD)))).toByteString());
        AllocateResponse response = AllocateResponse.newBuilder()
                .addContainerResponses(ContainerAllocateResponse.newBuilder()
                        .putEnvs("NVIDIA_VISIBLE_DEVICES", CARD)
                        .addMounts(Mount.newBuilder()
                                .setContainerPath("/a")
                                .setHostPath("/b")
                                .setReadOnly(true))
                        .addDevices(DeviceSpec.newBuilder()
                                .setContainerPath("/dev/nvidia0")
                                .setHostPath("/dev/nvidia1")
                                .setPermissions("rw"))
                        .addCdiDevices(CDIDevice.newBuilder().setName("nvidia.com/gpu=" + CARD)))
                .build();

        assertThat(request.getContainerRequests(0).getDevicesIdsList()).containsExactly(CARD);
        assertThat(UnknownFieldSet.parseFrom(response.toByteString()))
                .isEqualTo(message(field(
                        1,
                        message(
                                field(1, message(field(1, "NVIDIA_VISIBLE_DEVICES"), field(2, CARD))),
                                field(2, message(field(1, "/a"), field(2, "/b"), number(3, 1))),
                                field(3, message(field(1, "/dev/nvidia0"), field(2, "/dev/nvidia1"), field(3, "rw"))),
                                field(5, message(field(1, "nvidia.com/gpu=" + CARD)))))));
    }

    @Test
    void aPreferenceIsReadOnTheKubeletsNumbers() throws InvalidProtocolBufferException {
        UnknownFieldSet wire = message(field(1, message(field(1, CARD), field(2, CARD), number(3, 7))));

        PreferredAllocationRequest request = PreferredAllocationRequest.parseFrom(wire.toByteString());

        assertThat(request.getContainerRequests(0).getAvailableDeviceIDsList()).containsExactly(CARD);
        assertThat(request.getContainerRequests(0).getMustIncludeDeviceIDsList())
                .containsExactly(CARD);
        assertThat(request.getContainerRequests(0).getAllocationSize()).isEqualTo(7);
    }
}
