package io.gpushare.api;

import static io.gpushare.api.WireAssertions.field;
import static io.gpushare.api.WireAssertions.fieldsOf;
import static io.gpushare.api.WireAssertions.message;
import static io.gpushare.api.WireAssertions.methodsOf;
import static io.gpushare.api.WireAssertions.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.gpushare.api.podresources.v1.ContainerDevices;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResources;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.gpushare.api.podresources.v1.PodResourcesProto;
import org.junit.jupiter.api.Test;

class PodResourcesWireTest {

    @Test
    void everyFieldHasTheKubeletsNumberAndType() {
        assertThat(fieldsOf(PodResourcesProto.getDescriptor()))
                .containsExactlyInAnyOrder(
                        "ListPodResourcesResponse.pod_resources = 1 repeated PodResources",
                        "AllocatableResourcesResponse.devices = 1 repeated ContainerDevices",
                        "AllocatableResourcesResponse.cpu_ids = 2 repeated int64",
                        "AllocatableResourcesResponse.memory = 3 repeated ContainerMemory",
                        "GetPodResourcesRequest.pod_name = 1 string",
                        "GetPodResourcesRequest.pod_namespace = 2 string",
                        "GetPodResourcesResponse.pod_resources = 1 PodResources",
                        "PodResources.name = 1 string",
                        "PodResources.namespace = 2 string",
                        "PodResources.containers = 3 repeated ContainerResources",
                        "PodResources.cpu_ids = 4 repeated int64",
                        "PodResources.memory = 5 repeated ContainerMemory",
                        "ContainerResources.name = 1 string",
                        "ContainerResources.devices = 2 repeated ContainerDevices",
                        "ContainerResources.cpu_ids = 3 repeated int64",
                        "ContainerResources.memory = 4 repeated ContainerMemory",
                        "ContainerResources.dynamic_resources = 5 repeated DynamicResource",
                        "ContainerDevices.resource_name = 1 string",
                        "ContainerDevices.device_ids = 2 repeated string",
                        "ContainerDevices.topology = 3 TopologyInfo",
                        "ContainerMemory.memory_type = 1 string",
                        "ContainerMemory.size = 2 uint64",
                        "ContainerMemory.topology = 3 TopologyInfo",
                        "DynamicResource.claim_name = 2 string",
                        "DynamicResource.claim_namespace = 3 string",
                        "DynamicResource.claim_resources = 4 repeated ClaimResource",
                        "ClaimResource.cdi_devices = 1 repeated CDIDevice",
                        "ClaimResource.driver_name = 2 string",
                        "ClaimResource.pool_name = 3 string",
                        "ClaimResource.device_name = 4 string",
                        "ClaimResource.share_id = 5 string",
                        "CDIDevice.name = 1 string",
                        "TopologyInfo.nodes = 1 repeated NUMANode",
                        "NUMANode.ID = 1 int64");
    }

    @Test
    void theServiceHasTheKubeletsName() {
        assertThat(methodsOf(PodResourcesListerGrpc.getServiceDescriptor()))
                .containsExactlyInAnyOrder(
                        "v1.PodResourcesLister/List",
                        "v1.PodResourcesLister/GetAllocatableResources",
                        "v1.PodResourcesLister/Get");
    }

    @Test
    void aListIsReadFromTheKubeletsBytes() throws InvalidProtocolBufferException {
        UnknownFieldSet devices = message(field(1, "aliyun.com/gpu-mem"), field(2, "GPU-a::0"));
        UnknownFieldSet container = message(field(1, "main"), field(2, devices), number(3, 4));
        UnknownFieldSet pod = message(field(1, "train"), field(2, "team"), field(3, container));

        ListPodResourcesResponse list =
                ListPodResourcesResponse.parseFrom(message(field(1, pod)).toByteString());

        assertThat(list.getPodResourcesList()).singleElement().satisfies(PodResourcesWireTest::assertTrainingPod);
    }

    private static void assertTrainingPod(PodResources pod) {
        assertThat(pod.getNamespace() + "/" + pod.getName()).isEqualTo("team/train");
        assertThat(pod.getContainers(0).getName()).isEqualTo("main");
        assertThat(pod.getContainers(0).getCpuIdsList()).containsExactly(4L);
        assertThat(pod.getContainers(0).getDevicesList())
                .containsExactly(ContainerDevices.newBuilder()
                        .setResourceName("aliyun.com/gpu-mem")
                        .addDeviceIds("GPU-a::0")
                        .build());
    }

    @Test
    void aFieldOfANewerKubeletIsSkipped() throws InvalidProtocolBufferException {
        UnknownFieldSet pod = message(field(1, "train"), field(2, "team"), field(99, "new"));

        PodResources read = PodResources.parseFrom(pod.toByteString());

        assertThat(read.getName()).isEqualTo("train");
    }
}
