package io.gpushare.e2e.cluster.admission;

import static io.gpushare.e2e.cluster.admission.AdmissionPolicies.list;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicies.map;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicies.strings;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.cluster.admission.AdmissionPolicies.Request;
import io.gpushare.simulated.pages.MetricTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/**
 * The samples of {@code deploy/samples} and {@code deploy/autoscaling}, those of Kueue, KubeRay and Karpenter too: what
 * they request, limit and announce is offered, their pods are admitted, and objects that belong together agree.
 */
class SamplesTest {
    private static final Path DEPLOY =
            Path.of(System.getProperty("gpushare.root")).resolve("deploy");
    private static final Set<String> OF_KUBERNETES = Set.of("cpu", "memory", "ephemeral-storage");
    private static final Pattern METRIC = Pattern.compile("gpushare_\\w+");
    private static final List<Map<String, Object>> OBJECTS = new ArrayList<>();
    private static final Set<String> OFFERED = new TreeSet<>();

    @BeforeAll
    static void load() throws IOException {
        for (String folder : List.of("samples", "autoscaling")) {
            try (Stream<Path> files = Files.walk(DEPLOY.resolve(folder))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    new Yaml().loadAll(Files.readString(file)).forEach(document -> OBJECTS.add(map(document)));
                }
            }
        }
        Map<String, Object> values = new Yaml().load(Files.readString(DEPLOY.resolve("chart/values.yaml")));
        Map<String, Object> names = map(values.get("resources"));
        OFFERED.addAll(List.of(text(names, "memory"), text(names, "card"), "aliyun.com/gpu-core.percentage"));
    }

    @Test
    void everyObjectHasAKindAndAName() {
        assertThat(OBJECTS).hasSizeGreaterThan(15).allSatisfy(object -> {
            assertThat(object).containsKeys("apiVersion", "kind");
            assertThat(map(object.get("metadata"))).containsKey("name");
        });
    }

    @Test
    void everyPodRequestsWhatIsOfferedAndIsAdmitted() throws Exception {
        AdmissionPolicies policies = new AdmissionPolicies(DEPLOY.resolve("admission"));
        List<Map<String, Object>> pods = OBJECTS.stream()
                .flatMap(SamplesTest::within)
                .filter(each -> map(each.get("spec")).containsKey("containers"))
                .toList();
        assertThat(pods).hasSizeGreaterThan(10);
        for (Map<String, Object> pod : pods) {
            assertKnown(limits(pod).keySet(), String.valueOf(pod));
            Map<String, Object> created = new HashMap<>(pod);
            created.putIfAbsent("metadata", Map.of("name", "from-a-template"));
            Request request = new Request("alice", "CREATE", "pods", created, null, Map.of());
            assertThat(policies.refusals(request)).as(String.valueOf(pod)).isEmpty();
        }
    }

    @Test
    void quotasAndOverlaysCountWhatIsOffered() {
        Set<String> counted = new TreeSet<>();
        for (Map<String, Object> quota : ofKind("ResourceQuota")) {
            map(at(quota, "spec").get("hard"))
                    .keySet()
                    .forEach(name -> counted.add(name.replaceFirst("requests[.]", "")));
        }
        ofKind("ClusterQueue").forEach(queue -> counted.addAll(quotas(queue).keySet()));
        ofKind("NodeOverlay")
                .forEach(overlay ->
                        counted.addAll(at(overlay, "spec", "capacity").keySet()));
        assertThat(counted).contains("cpu", "aliyun.com/gpu-mem", "aliyun.com/gpu-count");
        assertKnown(counted, "quotas and overlays");
    }

    @Test
    void anAutoscalerQueriesWhatIsServed() throws IOException {
        Set<String> served = MetricTable.all().keySet();
        assertThat(ofKind("ScaledObject"))
                .isNotEmpty()
                .allSatisfy(scaled -> assertThat(list(at(scaled, "spec").get("triggers")))
                        .allSatisfy(trigger -> {
                            String query = text(at(map(trigger), "metadata"), "query");
                            assertThat(METRIC.matcher(query).results().map(MatchResult::group))
                                    .isNotEmpty()
                                    .isSubsetOf(served);
                        }));
    }

    /** Kueue admits no Job that requests a resource which its queue does not cover. */
    @Test
    void aJobOfKueueHasAQueueThatCoversItsRequest() {
        Map<String, Object> job = object("Job", "train");
        String namespace = text(at(job, "metadata"), "namespace");
        String queue = text(at(job, "metadata", "labels"), "kueue.x-k8s.io/queue-name");
        Map<String, Object> local = ofKind("LocalQueue").stream()
                .filter(each -> at(each, "metadata").equals(Map.of("name", queue, "namespace", namespace)))
                .findFirst()
                .orElseThrow();
        Map<String, Object> quotas = quotas(object("ClusterQueue", text(at(local, "spec"), "clusterQueue")));
        Map<String, Object> pod = at(job, "spec", "template");
        assertThat(quotas).containsKeys(limits(pod).keySet().toArray(String[]::new));
        String memory = "aliyun.com/gpu-mem";
        assertThat(number(limits(pod), memory) * number(at(job, "spec"), "parallelism"))
                .as("it borrows")
                .isGreaterThan(number(quotas, memory))
                .isLessThanOrEqualTo(2 * number(quotas, memory));
        assertThat(ofKind("ClusterQueue"))
                .allSatisfy(each -> assertThat(groups(each))
                        .flatExtracting(group -> list(group.get("flavors")))
                        .allSatisfy(flavor -> object("ResourceFlavor", text(flavor, "name"))));
    }

    /** The spare pod fits on an empty node only, and there for certain. */
    @Test
    void theSparePodTakesWhatKarpenterExpectsOfANode() {
        Map<String, Object> pod = at(object("Deployment", "gpu-spare-node"), "spec", "template");
        Map<String, Object> capacity = at(object("NodeOverlay", "gpushare-4-t4"), "spec", "capacity");
        assertThat(limits(pod)).isEqualTo(Map.of("aliyun.com/gpu-mem", capacity.get("aliyun.com/gpu-mem")));
        assertThat(at(pod, "metadata", "annotations"))
                .containsEntry("gpushare.io/cards", text(capacity, "aliyun.com/gpu-count"));
    }

    /** KubeRay and the autoscaler of Ray see no GPU in the names of these resources. */
    @Test
    void aWorkerOfRayWithACardSaysHowMany() {
        List<Map<String, Object>> groups =
                list(at(object("RayCluster", "gpu-ray"), "spec").get("workerGroupSpecs"));
        assertThat(groups).isNotEmpty().allSatisfy(group -> {
            assertThat(limits(at(group, "template"))).containsKey("aliyun.com/gpu-mem");
            assertThat(at(group, "rayStartParams")).containsEntry("num-gpus", "1");
        });
    }

    private static void assertKnown(Set<String> names, String of) {
        assertThat(names)
                .as(of)
                .allSatisfy(name -> assertThat(OF_KUBERNETES.contains(name) || OFFERED.contains(name))
                        .as(name)
                        .isTrue());
    }

    /** The value, if it is an object, and all objects within. */
    private static Stream<Map<String, Object>> within(Object value) {
        return switch (value) {
            case Map<?, ?> object ->
                Stream.concat(Stream.of(map(object)), object.values().stream().flatMap(SamplesTest::within));
            case List<?> values -> values.stream().flatMap(SamplesTest::within);
            default -> Stream.of();
        };
    }

    /** What a pod's containers request, the last one's of each resource. */
    private static Map<String, Object> limits(Map<String, Object> pod) {
        Map<String, Object> limits = new HashMap<>();
        for (Map<String, Object> container : list(at(pod, "spec").get("containers"))) {
            limits.putAll(at(container, "resources", "limits"));
            limits.putAll(at(container, "resources", "requests"));
        }
        return limits;
    }

    private static List<Map<String, Object>> groups(Map<String, Object> clusterQueue) {
        return list(at(clusterQueue, "spec").get("resourceGroups"));
    }

    /** The nominal quotas of a ClusterQueue, by the resources that it covers. */
    private static Map<String, Object> quotas(Map<String, Object> clusterQueue) {
        Map<String, Object> quotas = new HashMap<>();
        for (Map<String, Object> group : groups(clusterQueue)) {
            for (Map<String, Object> flavor : list(group.get("flavors"))) {
                List<Map<String, Object>> resources = list(flavor.get("resources"));
                // The order is part of Kueue's rules.
                assertThat(resources)
                        .extracting(resource -> text(resource, "name"))
                        .isEqualTo(strings(group.get("coveredResources")));
                resources.forEach(each -> quotas.put(text(each, "name"), each.get("nominalQuota")));
            }
        }
        return quotas;
    }

    private static List<Map<String, Object>> ofKind(String kind) {
        return OBJECTS.stream()
                .filter(object -> kind.equals(object.get("kind")))
                .toList();
    }

    private static Map<String, Object> object(String kind, String name) {
        return ofKind(kind).stream()
                .filter(object -> name.equals(at(object, "metadata").get("name")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
    }

    private static Map<String, Object> at(Map<String, Object> object, String... path) {
        Map<String, Object> at = object;
        for (String key : path) {
            at = map(at.get(key));
        }
        return at;
    }

    private static String text(Map<String, Object> object, String key) {
        return String.valueOf(object.get(key));
    }

    private static int number(Map<String, Object> object, String key) {
        return Integer.parseInt(text(object, key));
    }
}
