package io.gpushare.extender.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.protocol.PodReader;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.node.SchedulerOnly;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The readers of kube-scheduler's requests and of the API server's pods agree on what only kube-scheduler can check.
 */
class SchedulerOnlyIT {
    private static final String TERMS =
            "{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":\"zone\"}]}";

    /** A part of a pod's spec, and what it requires; null for nothing. */
    private record Sample(String spec, @Nullable SchedulerOnly required) {}

    private static final List<Sample> SAMPLES = List.of(
            new Sample("{}", null),
            new Sample("{\"affinity\":{\"podAffinity\":" + TERMS + "}}", SchedulerOnly.POD_AFFINITY),
            new Sample("{\"affinity\":{\"podAntiAffinity\":" + TERMS + "}}", SchedulerOnly.POD_AFFINITY),
            new Sample(
                    "{\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
                            + "{\"nodeSelectorTerms\":[]}}}}",
                    null),
            new Sample(
                    "{\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":\"DoNotSchedule\"}]}",
                    SchedulerOnly.TOPOLOGY_SPREAD),
            new Sample("{\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":\"ScheduleAnyway\"}]}", null),
            new Sample(
                    "{\"containers\":[{\"name\":\"main\",\"ports\":[{\"containerPort\":80,\"hostPort\":80}]}]}",
                    SchedulerOnly.HOST_PORT),
            new Sample("{\"containers\":[{\"name\":\"main\",\"ports\":[{\"containerPort\":80}]}]}", null),
            volume("persistentVolumeClaim", true),
            volume("ephemeral", true),
            volume("iscsi", true),
            volume("rbd", true),
            volume("gcePersistentDisk", true),
            volume("awsElasticBlockStore", true),
            volume("azureDisk", true),
            volume("cinder", true),
            volume("emptyDir", false),
            volume("configMap", false),
            new Sample("{\"resourceClaims\":[{\"name\":\"gpu\"}]}", SchedulerOnly.RESOURCE_CLAIM),
            new Sample("{\"overhead\":{\"cpu\":\"1\"}}", SchedulerOnly.OVERHEAD));

    private static Sample volume(String kind, boolean placed) {
        return new Sample(
                "{\"volumes\":[{\"name\":\"data\",\"" + kind + "\":{}}]}", placed ? SchedulerOnly.PLACED_VOLUME : null);
    }

    @Test
    void bothReadersFindTheSame(@TempDir Path folder) throws Exception {
        Set<SchedulerOnly> covered = EnumSet.noneOf(SchedulerOnly.class);
        try (TestApiServer server = new TestApiServer();
                KubernetesApi api = KubernetesApi.connect(server.kubeconfig(folder), "test")) {
            for (Sample sample : SAMPLES) {
                server.pod("p", "uid", new JsonObject().put("aliyun.com/gpu-mem", "1"));
                server.spec("p", sample.spec());
                assertThat(api.evictions()
                                .pod("default", "p")
                                .orElseThrow()
                                .requirements()
                                .unknown())
                        .as(sample.spec())
                        .isEqualTo(sample.required());
                try (JsonParser parser =
                        JsonBody.FACTORY.createParser(server.object("default/p").encode())) {
                    parser.nextToken();
                    assertThat(Objects.requireNonNull(PodReader.read(parser))
                                    .traits()
                                    .relations())
                            .as(sample.spec())
                            .isEqualTo(sample.required() != null);
                }
                if (sample.required() != null) {
                    covered.add(sample.required());
                }
            }
        }
        assertThat(covered).isEqualTo(EnumSet.allOf(SchedulerOnly.class));
    }
}
