package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.cluster.AdmissionPolicies.Request;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
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
    private static final String USER = "alice";
    private static final String EXTENDER = "system:serviceaccount:kube-system:gpu-share-scheduler-extender";
    private static final String PLUGIN = "system:serviceaccount:kube-system:gpu-share-device-plugin";
    private static final Map<String, Object> PLAIN = pod("""
        containers: [{name: main, resources: {limits: {aliyun.com/gpu-mem: 3}}}, {name: log, env: [{name: A, value: b}]}]\
        """);
    private static AdmissionPolicies policies;

    @BeforeAll
    static void read() throws Exception {
        policies = new AdmissionPolicies(ROOT.resolve("deploy/admission/admission.yaml"));
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
        assertAdmitted(PLUGIN, "UPDATE", "pods", changed, with);
        assertAdmitted(USER, "UPDATE", "pods", annotated(PLAIN, Map.of(key, "1", "other", "y")), with);
        assertAdmitted("system:node:n1", "UPDATE", "pods/status", with, with);
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
        assertAdmitted(PLUGIN, "UPDATE", "nodes", published, node);
        assertAdmitted(USER, "UPDATE", "nodes", annotated(published, Map.of("note", "x")), published);
    }

    @Test
    void aPodThatChoosesItsCardsItselfIsRefused() throws Exception {
        String own = "env: [{name: X, value: y}, {name: NVIDIA_VISIBLE_DEVICES, value: all}]";
        String resources = "resources: {limits: {aliyun.com/gpu-mem: 3}}";
        assertRefusedPod("NVIDIA_VISIBLE_DEVICES", "containers: [{name: a, " + resources + ", " + own + "}]");
        assertRefusedPod(
                "NVIDIA_VISIBLE_DEVICES", "containers: [{name: a, " + resources + "}, {name: b, " + own + "}]");
        assertRefusedPod(
                "NVIDIA_VISIBLE_DEVICES",
                "containers: [{name: a, resources: {limits: {aliyun.com/gpu-count: 1}}}]\n"
                        + "  initContainers: [{name: b, " + own + "}]");
        assertAdmitted(USER, "CREATE", "pods", pod("containers: [{name: a, " + own + "}]"), null);
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
        assertThat(policies.refusals(new Request(user, operation, resource, object, oldObject)))
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
        assertThat(policies.refusals(new Request(user, operation, resource, object, oldObject)))
                .isEqualTo(List.of());
    }

    private static Map<String, Object> yaml(String text) {
        return AdmissionPolicies.map(new Yaml().load(text));
    }

    private static Map<String, Object> pod(String spec) {
        return yaml("metadata: {name: p, namespace: default}\nspec:\n  " + spec);
    }

    private static Map<String, Object> binding(String key) {
        return annotated(yaml("metadata: {name: p}\ntarget: {kind: Node, name: n1}"), Map.of(key, "1"));
    }

    private static Map<String, Object> annotated(Map<String, Object> object, Map<String, String> annotations) {
        Map<String, Object> metadata = new HashMap<>(AdmissionPolicies.map(object.get("metadata")));
        Map<String, Object> all = new HashMap<>(AdmissionPolicies.map(metadata.get("annotations")));
        all.putAll(annotations);
        metadata.put("annotations", all);
        Map<String, Object> result = new HashMap<>(object);
        result.put("metadata", metadata);
        return result;
    }
}
