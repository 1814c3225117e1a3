package io.gpushare.e2e.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.cluster.admission.AdmissionPolicies.Request;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The requests that the policies of deploy/admission admit and deny. */
class AdmissionPolicyTest {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root"));
    static final String USER = "alice";
    static final String EXTENDER = "system:serviceaccount:kube-system:gpu-share-scheduler-extender";
    static final String PLUGIN = "system:serviceaccount:kube-system:gpu-share-device-plugin@n1";
    private static final Map<String, String> SEES_ALL = Map.of("gpushare.io/sees-all-cards", "true");
    static final Map<String, Object> PLAIN = pod("""
        containers: [{name: main, resources: {limits: {aliyun.com/gpu-mem: 3}}}, {name: log, env: [{name: A, value: b}]}]\
        """);
    private static AdmissionPolicies policies;

    @BeforeAll
    static void read() throws Exception {
        policies = new AdmissionPolicies(ROOT.resolve("deploy/admission"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpushare.io/allocation",
                "ALIYUN_COM_GPU_MEM_IDX",
                "ALIYUN_COM_GPU_MEM_POD",
                "ALIYUN_COM_GPU_MEM_DEV",
                "ALIYUN_COM_GPU_MEM_ASSIGNED",
                "ALIYUN_COM_GPU_MEM_ASSUME_TIME"
            })
    void onlyTheProgramsWriteChangeOrRemoveAnAllocation(String key) throws Exception {
        Map<String, Object> with = annotated(PLAIN, Map.of(key, "1", "other", "x"));
        Map<String, Object> changed = annotated(PLAIN, Map.of(key, "2"));
        assertRefused("only GPU Share", USER, "CREATE", "pods", with, null);
        assertRefused("only GPU Share", USER, "UPDATE", "pods", with, PLAIN);
        assertRefused("only GPU Share", USER, "UPDATE", "pods", changed, with);
        assertRefused("only GPU Share", USER, "UPDATE", "pods", PLAIN, with);
        assertRefused("only GPU Share", USER, "UPDATE", "pods/status", changed, with);
        assertRefused("only GPU Share", USER, "UPDATE", "pods/ephemeralcontainers", changed, with);
        assertRefused("only GPU Share", "system:kube-scheduler", "CREATE", "pods/binding", binding(key), null);
        assertRefused("only GPU Share", "system:kube-scheduler", "CREATE", "bindings", binding(key), null);
        assertAdmitted(EXTENDER, "CREATE", "pods/binding", binding(key), null);
        assertAdmitted(PLUGIN, "UPDATE", "pods/status", on("n1", annotated(PLAIN, Map.of(key, "2"))), on("n1", PLAIN));
        assertAdmitted(USER, "UPDATE", "pods", annotated(PLAIN, Map.of(key, "1", "other", "y")), with);
        assertAdmitted("system:node:n1", "UPDATE", "pods/status", with, with);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
                "CUDA_MPS_PIPE_DIRECTORY",
                "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                "CUDA_DEVICE_MAX_CONNECTIONS",
                "CUDA_DEVICE_MEMORY_LIMIT_0"
            })
    void aPodDoesNotLoosenTheLimitsOfItsShare(String variable) throws Exception {
        String limits = "resources: {limits: {aliyun.com/gpu-mem: 3}}";
        String own = "env: [{name: " + variable + ", value: '1'}]";
        assertRefusedPod("CUDA_MPS_* or CUDA_DEVICE_*", "containers: [{name: a, " + limits + ", " + own + "}]");
        assertRefusedPod(
                "CUDA_MPS_* or CUDA_DEVICE_*", "containers: [{name: a, " + limits + "}, {name: b, " + own + "}]");
        assertAdmitted(USER, "CREATE", "pods", pod("containers: [{name: a, " + own + "}]"), null);
        assertAdmitted(
                USER,
                "CREATE",
                "pods",
                pod("containers: [{name: a, " + limits + ", env: [{name: CUDA_CACHE_PATH, value: /tmp}]}]"),
                null);
    }

    @Test
    void othersStillDoWhatTheyDid() throws Exception {
        assertAdmitted(USER, "CREATE", "pods", PLAIN, null);
        assertAdmitted(USER, "UPDATE", "pods", annotated(PLAIN, Map.of("team", "a")), PLAIN);
        assertAdmitted("system:kube-scheduler", "CREATE", "pods/binding", binding("note"), null);
        assertAdmitted(
                "system:kube-scheduler",
                "CREATE",
                "pods/binding",
                yaml("metadata: {name: p}\ntarget: {kind: Node, name: n1}"),
                null);
        assertAdmitted(USER, "CREATE", "pods", pod("containers: [{name: main}]"), null);
        assertAdmitted("system:node:n1", "CREATE", "nodes", yaml("metadata: {name: n1}"), null);
    }

    @Test
    void onlyThePluginTellsWhichCardsANodeHas() throws Exception {
        Map<String, Object> node = yaml("metadata: {name: n1, labels: {gpushare: 'true'}}");
        Map<String, Object> published = annotated(node, Map.of("gpushare.io/inventory", "{}"));
        assertRefused("which GPU cards a node has", USER, "UPDATE", "nodes", published, node);
        assertRefused("which GPU cards a node has", "system:node:n1", "UPDATE", "nodes/status", published, node);
        assertRefused("which GPU cards a node has", USER, "UPDATE", "nodes", node, published);
        assertAdmitted(PLUGIN, "UPDATE", "nodes/status", published, node);
        assertAdmitted(USER, "UPDATE", "nodes", annotated(published, Map.of("note", "x")), published);
    }

    @Test
    void aPodThatChoosesItsCardsItselfIsRefused() throws Exception {
        String own = visible("value: all");
        String resources = "resources: {limits: {aliyun.com/gpu-mem: 3}}";
        assertRefusedPod("NVIDIA_VISIBLE_DEVICES", "containers: [{name: a, " + resources + ", " + own + "}]");
        assertRefusedPod(
                "NVIDIA_VISIBLE_DEVICES", "containers: [{name: a, " + resources + "}, {name: b, " + own + "}]");
        assertRefusedPod(
                "NVIDIA_VISIBLE_DEVICES",
                "containers: [{name: a, resources: {limits: {aliyun.com/gpu-count: 1}}}]\n"
                        + "  initContainers: [{name: b, " + own + "}]");
        assertRefusedPod(
                "NVIDIA_VISIBLE_DEVICES",
                "containers: [{name: a, " + resources + ", " + visible("valueFrom: {}") + "}]");
        assertAdmitted(
                USER,
                "CREATE",
                "pods",
                pod("containers: [{name: a, " + resources + "}, {name: b, " + visible("value: void") + "}]"),
                null);
    }

    /**
     * NVIDIA's runtime reads cards from such paths where it accepts them
     * (accept-nvidia-visible-devices-as-volume-mounts).
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/var/run/nvidia-container-devices/all",
                "/var/run/nvidia-container-devices",
                "/var/./run/./nvidia-container-devices/all",
                "/var/run/x/../nvidia-container-devices/all",
                "/run/../var/run//nvidia-container-devices/cdi/nvidia.com/gpu/0",
                "/var/run/nvidia-container-devicesall"
            })
    void aPodThatMountsItsCardsAsVolumesIsRefused(String path) throws Exception {
        String own = "volumeMounts: [{name: x, mountPath: /data}, {name: v, mountPath: '" + path + "'}]";
        String resources = "resources: {limits: {aliyun.com/gpu-mem: 3}}";
        assertRefusedPod("or mount volumes at", "containers: [{name: a, " + resources + ", " + own + "}]");
        String plain = "containers: [{name: a, " + own + "}]";
        assertRefusedPod("or mount volumes at", plain);
        assertThat(refusals(USER, "CREATE", "pods", pod(plain), null, SEES_ALL)).isEmpty();
        assertAdmitted(
                USER,
                "CREATE",
                "pods",
                pod("containers: [{name: a, volumeMounts: [{name: x, mountPath: /var/run/nvidia}]}]"),
                null);
    }

    /** NVIDIA's runtime takes it for an image from before NVIDIA_VISIBLE_DEVICES, which gets all cards. */
    @Test
    void aContainerWithoutACardDoesNotPassForAnOldImage() throws Exception {
        String old = "env: [{name: CUDA_VERSION, value: '12.4'}%s]";
        String plain = old.formatted("");
        String card = "resources: {limits: {aliyun.com/gpu-mem: 3}}";
        assertRefusedPod("CUDA_VERSION", "containers: [{name: a, " + plain + "}]");
        assertRefusedPod("CUDA_VERSION", "containers: [{name: a, " + card + "}, {name: b, " + plain + "}]");
        for (String harmless : List.of(
                "{name: a, " + card + ", " + plain + "}",
                "{name: a, resources: {claims: [{name: gpu}]}, " + plain + "}",
                "{name: a, " + old.formatted(", {name: NVIDIA_VISIBLE_DEVICES, value: void}") + "}")) {
            assertAdmitted(USER, "CREATE", "pods", pod("containers: [" + harmless + "]"), null);
        }
        assertThat(refusals(USER, "CREATE", "pods", pod("containers: [{name: a, " + plain + "}]"), null, SEES_ALL))
                .isEmpty();
    }

    /** CEL can't see what is in a ConfigMap or Secret: whoever needs certainty refuses them for pods with cards. */
    @Test
    void envFromIsRefusedForPodsWithCardsWhereTheOptionSaysSo() throws Exception {
        Map<String, Object> reads =
                pod("containers: [{name: a, resources: {limits: {aliyun.com/gpu-mem: 3}}, envFrom: [{}]}]");
        assertAdmitted(USER, "CREATE", "pods", reads, null);
        AdmissionPolicies strict = new AdmissionPolicies(
                ROOT.resolve("deploy/admission"),
                text -> text.replace(
                        "{name: refuseEnvFrom, expression: \"false\"}", "{name: refuseEnvFrom, expression: \"true\"}"));
        assertThat(strict.refusals(new Request(USER, "CREATE", "pods", reads, null, Map.of())))
                .singleElement()
                .asString()
                .contains("Name each variable in env");
        for (Map<String, Object> other : List.of(PLAIN, pod("containers: [{name: a, envFrom: [{}]}]"))) {
            assertThat(strict.refusals(new Request(USER, "CREATE", "pods", other, null, Map.of())))
                    .isEmpty();
        }
    }

    @Test
    void thePluginEvictsNoPodsOfTheClustersOwnPrograms() throws Exception {
        assertAdmitted(PLUGIN, "CREATE", "pods/eviction", yaml("metadata: {name: p, namespace: default}"), null);
        assertRefused(
                "evicts no pods of the namespaces",
                PLUGIN,
                "CREATE",
                "pods/eviction",
                yaml("metadata: {name: p, namespace: kube-system}"),
                null);
        assertAdmitted(USER, "CREATE", "pods/eviction", yaml("metadata: {name: p, namespace: kube-system}"), null);
    }

    @Test
    void thePluginSendsEventsInItsOwnNameOnly() throws Exception {
        String pod = "metadata: {name: e}\ninvolvedObject: {kind: Pod, name: p}\nsource: {component: c, host: %s}";
        assertAdmitted(PLUGIN, "CREATE", "events", yaml(pod.formatted("n1")), null);
        assertRefused("only its own node", PLUGIN, "CREATE", "events", yaml(pod.formatted("n2")), null);
        // As plugins of an older version do, which are there during an upgrade.
        assertAdmitted(PLUGIN, "CREATE", "events", yaml(pod.formatted("''")), null);
        String older = "metadata: {name: e}\ninvolvedObject: {kind: Pod, name: p}";
        assertAdmitted(PLUGIN, "CREATE", "events", yaml(older), null);
        assertRefused("only its own node", PLUGIN.replace("@n1", ""), "CREATE", "events", yaml(older), null);
        String node = "metadata: {name: e}\ninvolvedObject: {kind: %s, name: %s}\nsource: {host: n1}";
        assertAdmitted(PLUGIN, "CREATE", "events", yaml(node.formatted("Node", "n1")), null);
        for (String other : List.of(node.formatted("Node", "n2"), node.formatted("Deployment", "n1"))) {
            assertRefused("of its own node only", PLUGIN, "CREATE", "events", yaml(other), null);
        }
        for (String kubelet : List.of("reportingComponent: kubelet", "source: {component: kubelet, host: n1}")) {
            assertRefused("in its own name", PLUGIN, "CREATE", "events", yaml(older + "\n" + kubelet), null);
        }
        assertAdmitted(USER, "CREATE", "events", yaml(pod.formatted("n2")), null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/data/nvidia-container-devices", "/var/lib/nvidia-container-devices", "/srv/run/nvidia"})
    void otherPathsOfVolumesAreTheUsers(String path) throws Exception {
        String own = "volumeMounts: [{name: v, mountPath: '" + path + "'}]";
        assertAdmitted(USER, "CREATE", "pods", pod("containers: [{name: a, " + own + "}]"), null);
    }

    @Test
    void aPodWithoutARequestSeesNoCardUnlessItsNamespaceManagesCards() throws Exception {
        for (String value : List.of("value: all", "value: '0'", "value: GPU-a", "value: 'all,void'", "valueFrom: {}")) {
            String spec = "containers: [{name: a, " + visible(value) + "}]";
            assertRefusedPod("Request aliyun.com/gpu-mem", spec);
            assertRefusedPod("Request aliyun.com/gpu-mem", "containers: [{name: b}]\n  init" + capital(spec));
            assertThat(refusals(USER, "CREATE", "pods", pod(spec), null, SEES_ALL))
                    .isEmpty();
            assertThat(refusals(USER, "CREATE", "pods", in("kube-system", pod(spec)), null, Map.of()))
                    .isEmpty();
            assertThat(refusals(USER, "CREATE", "pods", pod(spec), null, Map.of("gpushare.io/sees-all-cards", "no")))
                    .hasSize(1);
        }
        for (String value : List.of("value: void", "value: none", "value: ''", "X: y")) {
            assertAdmitted(USER, "CREATE", "pods", pod("containers: [{name: a, " + visible(value) + "}]"), null);
        }
    }

    @Test
    void anEphemeralContainerSeesNoCardThatThePodDoesNotHave() throws Exception {
        String debug = "\n  ephemeralContainers: [{name: d, " + visible("value: all") + "}]";
        for (String spec : List.of(
                "containers: [{name: a}]",
                "containers: [{name: a, resources: {limits: {aliyun.com/gpu-mem: 3}}}]",
                "containers: [{name: a}]\n  ephemeralContainers: [{name: c}]")) {
            assertRefused(
                    "NVIDIA_VISIBLE_DEVICES",
                    USER,
                    "UPDATE",
                    "pods/ephemeralcontainers",
                    pod(spec.replaceFirst("\n  ephemeral.*", "") + debug),
                    pod(spec));
        }
        // What was there before the policy does not prevent a harmless one.
        String old = "containers: [{name: a, " + visible("value: all") + "}]";
        assertAdmitted(
                USER,
                "UPDATE",
                "pods/ephemeralcontainers",
                pod(old + "\n  ephemeralContainers: [{name: d}]"),
                pod(old));
        assertAdmitted(USER, "UPDATE", "pods/ephemeralcontainers", pod(old), pod(old));
    }

    @Test
    void thePluginChangesOnlyItsOwnNodeAndItsPods() throws Exception {
        Map<String, Object> node = yaml("metadata: {name: n1}\nspec: {}\nstatus: {allocatable: {cpu: '4'}}");
        Map<String, Object> published =
                annotated(node, Map.of("gpushare.io/inventory", "{}", "gpushare.io/labels", "x"));
        Map<String, Object> written = annotated(PLAIN, Map.of("gpushare.io/allocation", "{}"));
        assertAdmitted(PLUGIN, "UPDATE", "nodes/status", published, node);
        assertAdmitted(PLUGIN, "UPDATE", "nodes/status", labelled(published, "nvidia.com/gpu.product"), node);
        assertAdmitted(PLUGIN, "UPDATE", "pods/status", on("n1", written), on("n1", PLAIN));
        for (String user : List.of(PLUGIN.replace("@n1", "@n2"), PLUGIN.replace("@n1", ""))) {
            assertRefused("only its own node", user, "UPDATE", "nodes/status", published, node);
            assertRefused("only its own node", user, "UPDATE", "pods/status", on("n1", written), on("n1", PLAIN));
        }
        assertRefused("only its own node", PLUGIN, "UPDATE", "pods/status", written, PLAIN);
        assertRefused("is of node 'n1', the object of node 'n2'", PLUGIN, "CREATE", "leases", lease("n2"), null);
        assertRefused("only its own node", PLUGIN, "UPDATE", "leases", lease("n2"), lease("n2"));
        assertAdmitted(PLUGIN, "CREATE", "leases", lease("n1"), null);
        assertAdmitted(PLUGIN, "UPDATE", "leases", lease("n1"), lease("n1"));
    }

    @Test
    void thePluginChangesOnlyItsAnnotationsAndLabels() throws Exception {
        Map<String, Object> node = yaml("metadata: {name: n1}\nspec: {}\nstatus: {allocatable: {cpu: '4'}}");
        Map<String, Object> pod = on("n1", PLAIN);
        Map<String, Object> cordoned = annotated(node, Map.of("gpushare.io/cordon", "GPU-a"));
        assertRefused("gpushare.io/inventory and", PLUGIN, "UPDATE", "nodes/status", cordoned, node);
        assertRefused("gpushare.io/inventory and", PLUGIN, "UPDATE", "nodes/status", node, cordoned);
        assertRefused(
                "gpushare.io/inventory and", PLUGIN, "UPDATE", "pods/status", annotated(pod, Map.of("a", "b")), pod);
        assertRefused("under nvidia.com/", PLUGIN, "UPDATE", "nodes/status", labelled(node, "pool"), node);
        assertRefused("under nvidia.com/", PLUGIN, "UPDATE", "pods/status", labelled(pod, "nvidia.com/x"), pod);
        for (String change : List.of(
                "metadata: {name: n1}\nspec: {unschedulable: true}\nstatus: {allocatable: {cpu: '4'}}",
                "metadata: {name: n1}\nspec: {}\nstatus: {allocatable: {cpu: '5'}}",
                "metadata: {name: n1}\nspec: {}",
                "metadata: {name: n1, finalizers: [a/b]}\nspec: {}\nstatus: {allocatable: {cpu: '4'}}",
                "metadata: {name: n1, ownerReferences: [{}]}\nspec: {}\nstatus: {allocatable: {cpu: '4'}}")) {
            assertRefused("only annotations and labels", PLUGIN, "UPDATE", "nodes/status", yaml(change), node);
        }
    }

    @Test
    void theExtenderWritesOnlyItsAnnotations() throws Exception {
        Map<String, Object> seen = annotated(PLAIN, Map.of("gpushare.io/room-seen", "12:00"));
        Map<String, Object> ended = new HashMap<>(PLAIN);
        ended.put("status", Map.of("phase", "Failed"));
        assertAdmitted(EXTENDER, "UPDATE", "pods/status", seen, PLAIN);
        assertRefused("only nominatedNodeName", EXTENDER, "UPDATE", "pods/status", ended, PLAIN);
        assertRefused("only annotations", EXTENDER, "UPDATE", "pods/status", labelled(PLAIN, "team"), PLAIN);
        assertRefused(
                "room-seen",
                EXTENDER,
                "UPDATE",
                "pods/status",
                annotated(PLAIN, Map.of("gpushare.io/allocation", "x")),
                PLAIN);
        assertAdmitted(EXTENDER, "CREATE", "pods/binding", binding("gpushare.io/allocation"), null);
        assertRefused("with a Binding", EXTENDER, "CREATE", "pods/binding", binding("note"), null);
        assertRefused(
                "only annotations",
                EXTENDER,
                "CREATE",
                "bindings",
                labelled(binding("ALIYUN_COM_GPU_MEM_IDX"), "team"),
                null);
    }

    @Test
    void theExtenderLabelsOnlyThePodsOfExtenders() throws Exception {
        Map<String, Object> own = yaml("metadata: {name: p, namespace: kube-system}\n"
                + "spec: {serviceAccountName: gpu-share-scheduler-extender}");
        Map<String, Object> leader = annotated(
                labelled(own, "gpushare.io/leader"), Map.of("controller.kubernetes.io/pod-deletion-cost", "1"));
        assertAdmitted(EXTENDER, "UPDATE", "pods/status", leader, own);
        assertAdmitted(EXTENDER, "UPDATE", "pods/status", own, leader);
        assertRefused("on the pods of extenders", EXTENDER, "UPDATE", "pods/status", labelled(own, "component"), own);
        Map<String, Object> other = with(own, "", "spec", Map.of("serviceAccountName", "default"));
        assertRefused(
                "on the pods of extenders",
                EXTENDER,
                "UPDATE",
                "pods/status",
                labelled(other, "gpushare.io/leader"),
                other);
        Map<String, Object> elsewhere = in("default", own);
        assertRefused(
                "on the pods of extenders",
                EXTENDER,
                "UPDATE",
                "pods/status",
                labelled(elsewhere, "gpushare.io/leader"),
                elsewhere);
    }

    @Test
    void theExtenderWritesOnlyWhatPreemptionNeedsIntoAStatus() throws Exception {
        Map<String, Object> before = status("Running", null, List.of("Ready"));
        assertAdmitted(
                EXTENDER,
                "UPDATE",
                "pods/status",
                status("Running", "n1", List.of("Ready", "gpushare.io/CardsHeld", "DisruptionTarget")),
                before);
        assertAdmitted(EXTENDER, "UPDATE", "pods/status", before, status("Running", "n1", List.of("Ready")));
        assertRefused(
                "only nominatedNodeName",
                EXTENDER,
                "UPDATE",
                "pods/status",
                status("Running", null, List.of("Ready", "PodScheduled")),
                before);
        assertRefused(
                "only nominatedNodeName",
                EXTENDER,
                "UPDATE",
                "pods/status",
                status("Running", null, List.of()),
                before);
        assertRefused("only nominatedNodeName", EXTENDER, "UPDATE", "pods/status", PLAIN, before);
    }

    private static Map<String, Object> status(String phase, @Nullable String nominated, List<String> conditions) {
        Map<String, Object> status = new HashMap<>();
        status.put("phase", phase);
        status.put(
                "conditions",
                conditions.stream()
                        .map(type -> Map.of("type", type, "status", "True"))
                        .toList());
        if (nominated != null) {
            status.put("nominatedNodeName", nominated);
        }
        Map<String, Object> pod = new HashMap<>(PLAIN);
        pod.put("status", status);
        return pod;
    }

    @Test
    void aContainerThatAsksForMemoryAndForWholeCardsIsRefused() throws Exception {
        String both = "{name: a, resources: {limits: {aliyun.com/gpu-mem: 3, aliyun.com/gpu-count: 1}}}";
        assertRefusedPod("but not both", "containers: [" + both + "]");
        assertRefusedPod("but not both", "containers: [{name: b}]\n  initContainers: [" + both + "]");
    }

    private static void assertRefusedPod(String words, String spec) throws Exception {
        assertRefused(words, USER, "CREATE", "pods", pod(spec), null);
    }

    private static void assertRefused(
            String words,
            String user,
            String operation,
            String resource,
            Map<String, Object> object,
            @Nullable Map<String, Object> oldObject)
            throws Exception {
        assertThat(refusals(user, operation, resource, object, oldObject, Map.of()))
                .singleElement()
                .asString()
                .contains(words);
    }

    private static void assertAdmitted(
            String user,
            String operation,
            String resource,
            Map<String, Object> object,
            @Nullable Map<String, Object> oldObject)
            throws Exception {
        assertThat(refusals(user, operation, resource, object, oldObject, Map.of()))
                .isEqualTo(List.of());
    }

    private static List<String> refusals(
            String user,
            String operation,
            String resource,
            Map<String, Object> object,
            @Nullable Map<String, Object> oldObject,
            Map<String, String> namespaceLabels)
            throws Exception {
        return policies.refusals(new Request(user, operation, resource, object, oldObject, namespaceLabels));
    }

    static Map<String, Object> yaml(String text) {
        return AdmissionPolicies.map(new Yaml().load(text));
    }

    static Map<String, Object> pod(String spec) {
        return yaml("metadata: {name: p, namespace: default}\nspec:\n  " + spec);
    }

    static Map<String, Object> binding(String key) {
        return annotated(yaml("metadata: {name: p}\ntarget: {kind: Node, name: n1}"), Map.of(key, "1"));
    }

    private static Map<String, Object> lease(String name) {
        return yaml("metadata: {name: " + name + ", namespace: kube-system}\nspec: {holderIdentity: x}");
    }

    static String visible(String value) {
        return "env: [{name: X, value: y}, {name: NVIDIA_VISIBLE_DEVICES, " + value + "}]";
    }

    private static String capital(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    static Map<String, Object> annotated(Map<String, Object> object, Map<String, String> annotations) {
        return with(object, "metadata", "annotations", annotations);
    }

    private static Map<String, Object> labelled(Map<String, Object> object, String key) {
        return with(object, "metadata", "labels", Map.of(key, "x"));
    }

    static Map<String, Object> on(String node, Map<String, Object> pod) {
        return with(pod, "", "spec", Map.of("nodeName", node));
    }

    private static Map<String, Object> in(String namespace, Map<String, Object> pod) {
        return with(pod, "", "metadata", Map.of("namespace", namespace));
    }

    /** The object with these entries added to the field of its part; without a part, to its own field. */
    private static Map<String, Object> with(
            Map<String, Object> object, String part, String field, Map<String, String> entries) {
        Map<String, Object> result = new HashMap<>(object);
        if (part.isEmpty()) {
            Map<String, Object> all = new HashMap<>(AdmissionPolicies.map(object.get(field)));
            all.putAll(entries);
            result.put(field, all);
        } else {
            result.put(part, with(AdmissionPolicies.map(object.get(part)), "", field, entries));
        }
        return result;
    }
}
