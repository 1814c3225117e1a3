package io.gpushare.simulated.kubelet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.podresources.v1.ContainerResources;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResources;
import io.gpushare.simulated.client.ApiClient;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A node with as many containers as a kubelet admits by default, each with a unit of 256 MiB of a card, and with the
 * longest names.
 */
public record CrowdedNode(String name) {
    public static final int CONTAINERS = 110 * 24;

    private static final int PODS = 110;
    private static final int CONTAINERS_OF_A_POD = 24;
    private static final int PODS_OF_A_CARD = 10;
    private static final String NAMESPACE = "n".repeat(63);
    private static final String MEMORY = "aliyun.com/gpu-mem";

    /** The lines of the simulated driver's cards. */
    public List<String> cards() {
        return IntStream.range(0, PODS / PODS_OF_A_CARD)
                .mapToObj(card -> "card kind=A100-80 uuid=" + uuid(card))
                .toList();
    }

    /** The pods, which run. */
    public List<ObjectNode> pods() {
        return IntStream.range(0, PODS).mapToObj(this::pod).toList();
    }

    /** What pod-resources lists. */
    public ListPodResourcesResponse podResources() {
        var answer = ListPodResourcesResponse.newBuilder();
        for (int pod = 0; pod < PODS; pod++) {
            var listed = PodResources.newBuilder().setNamespace(NAMESPACE).setName(podName(pod));
            for (int i = 0; i < CONTAINERS_OF_A_POD; i++) {
                var container = ContainerResources.newBuilder().setName(containerName(i));
                container
                        .addDevicesBuilder()
                        .setResourceName(MEMORY)
                        .addDeviceIds(
                                uuid(pod / PODS_OF_A_CARD) + "::" + (pod % PODS_OF_A_CARD * CONTAINERS_OF_A_POD + i));
                listed.addContainers(container);
            }
            answer.addPodResources(listed);
        }
        return answer.build();
    }

    private static String uuid(int card) {
        return "GPU-00000000-0000-4000-8000-%012d".formatted(card);
    }

    private static String podName(int number) {
        return "p%03d".formatted(number) + "x".repeat(249);
    }

    private static String containerName(int number) {
        return "c%02d".formatted(number) + "y".repeat(60);
    }

    private ObjectNode pod(int number) {
        ObjectNode pod = ApiClient.document().put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata")
                .put("name", podName(number))
                .put("namespace", NAMESPACE)
                .put("uid", "uid-" + number)
                .put("creationTimestamp", "2026-01-01T00:00:00Z");
        ArrayNode containers = pod.putObject("spec").put("nodeName", name).putArray("containers");
        ArrayNode allocated = ApiClient.document().putArray("containers");
        for (int i = 0; i < CONTAINERS_OF_A_POD; i++) {
            ObjectNode resources =
                    containers.addObject().put("name", containerName(i)).putObject("resources");
            resources.putObject("limits").put(MEMORY, "1");
            resources.putObject("requests").put(MEMORY, "1");
            allocated
                    .addObject()
                    .put("name", containerName(i))
                    .putObject("memory")
                    .put(uuid(number / PODS_OF_A_CARD), 1);
        }
        metadata.putObject("annotations")
                .put("gpushare.io/allocation", "{\"version\":1,\"unitMiB\":256,\"containers\":" + allocated + "}");
        pod.putObject("status").put("phase", "Running");
        return pod;
    }
}
