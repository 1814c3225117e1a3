package io.gpushare.e2e.chart;

import static io.gpushare.e2e.chart.Chart.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.gpushare.e2e.chart.Chart.Rendered;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The chart by Helm's engine: sets of values for several versions of Kubernetes, and what is refused. */
class ChartTest {
    private static final Map<String, String> SETS = Map.of(
            "defaults",
            "{}",
            "gpushare",
            "compatibility: {gpushare: true}",
            "managed cluster",
            """
            scheduler: {enabled: true}
            extender: {view: open}
            viewers: {groups: [gpu-users], users: ['oidc:jan']}
            """,
            "cert-manager and monitoring",
            """
            tls: {source: cert-manager}
            monitoring: {podMonitors: true, rules: true, dashboards: true, labels: {release: prometheus},
              grafanaUrl: 'https://grafana.example/'}
            """,
            "plain HTTP for two addresses",
            """
            tls: {enabled: false}
            networkPolicy: {allowFrom: [192.0.2.10/32, '2001:db8::1/128']}
            admission: {pods: true}
            """,
            "GPU Operator's nodes",
            """
            devicePlugin:
              nodeSelector: {gpushare: null}
              anyNodeLabel: {nvidia.com/gpu.present: 'true', feature.node.kubernetes.io/pci-10de.present: 'true'}
              runtimeClassName: nvidia
              maxUnavailable: 20%
            runtimeClass: {create: true}
            """,
            "OpenShift",
            """
            openshift: {enabled: true}
            tls: {source: secret}
            imagePullSecrets: [{name: pull}]
            devicePlugin: {hostPID: false}
            """,
            "isolation by the driver",
            "isolation: {provider: auto, fallback: none}",
            "HAMi's requests",
            """
            hami: {enabled: true, slots: 100}
            isolation:
              provider: hami-core
              hamiCore: {library: /opt/vgpu/libvgpu.so, image: 'example.com/hami:v2', pathInImage: '/lib/vgpu.so*'}
            devicePlugin: {memoryUnit: 256MiB, frameworkVariables: false}
            scheduler: {enabled: true, furtherNames: [hami-scheduler]}
            admission: {pods: true}
            """,
            "everything else",
            """
            isolation:
              {provider: mps, reservedMemory: 600, mps: {controlProgram: /opt/nvidia/nvidia-cuda-mps-control, defaultCores: 'memory*2', resources: {}}}
            resources: {memory: example.com/memory, card: nvidia.com/gpu, formerMemory: [old.example.com/memory]}
            nodeLeaseNamespace: leases
            devicePlugin:
              image: {repository: 'example.com/gpu/device-plugin', tag: '1.2', pullPolicy: Always}
              memoryUnit: 256MiB
              deviceListStrategy: cdi-cri,envvar
              evictOverUseAfter: 120s
              extraArgs: [--health-quiet-time=5s]
              extraEnv: [{name: A, value: b}]
              extraVolumes: [{name: more, emptyDir: {}}]
              extraVolumeMounts: [{name: more, mountPath: /more}]
              tolerations: []
              podLabels: {team: a}
              podAnnotations: {note: b}
              kubeletDir: /data/kubelet
            extender:
              replicas: 3
              policy: fgd
              decideIn: prioritize
              preemption: true
              nodeSelector: {pool: system}
              affinity: {nodeAffinity: {}}
              extraArgs: [--max-request-bytes=4194304]
              podLabels: {team: a}
            service: {type: LoadBalancer, clusterIP: 10.96.0.50}
            scheduler: {enabled: true, assign: false, replicas: 2}
            """);
    private static final List<String> VERSIONS = List.of("1.20.15", "1.30.0", "1.36.2");

    static Stream<Arguments> sets() {
        return SETS.entrySet().stream()
                .flatMap(set -> VERSIONS.stream().map(version -> Arguments.of(set.getKey(), version, set.getValue())));
    }

    @Test
    void aRegistryComesBeforeTheImagesOfBothPrograms() {
        String values = """
            image: {registry: 'registry.example:5000/team'}
            isolation: {provider: mps}
            scheduler: {enabled: true}
            """;
        List<String> images = Chart.objects(values, "1.36.2").stream()
                .filter(object -> Set.of("DaemonSet", "Deployment").contains(object.kind()))
                .map(object -> object.container("image").replaceFirst(":[^:]*$", ""))
                .sorted()
                .toList();
        String registry = "registry.example:5000/team/gpushare/";
        assertThat(images)
                .containsExactly(
                        registry + "device-plugin",
                        registry + "device-plugin",
                        registry + "scheduler-extender",
                        "registry.k8s.io/kube-scheduler");
    }

    @Test
    void envFromIsRefusedForPodsWithCardsOnlyWhereTheValuesSaySo() {
        for (boolean refused : new boolean[] {false, true}) {
            String values = "admission: {pods: true" + (refused ? ", refuseEnvFrom: true}" : "}");
            assertThat(object(values, "ValidatingAdmissionPolicy", "gpushare-pods")
                            .text("spec", "variables"))
                    .contains("{name=refuseEnvFrom, expression=" + refused + "}");
        }
    }

    @Test
    void itHasNoLint() {
        LintResult lint = new Helm(Chart.FOLDER).lint().strict().call();
        assertThat(lint.isFailed()).as(lint.getMessages().toString()).isFalse();
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("sets")
    void eachSetOfValuesRendersObjectsThatAreValidAndDistinct(String name, String version, String values) {
        List<Rendered> objects = Chart.objects(values, version);
        assertThat(objects).hasSizeGreaterThan(10);
        assertThat(objects).extracting(Rendered::toString).doesNotHaveDuplicates();
        assertThat(objects).allSatisfy(ObjectSchema::check);
    }

    @Test
    void aFieldThatKubernetesDoesNotHaveIsFound() {
        Rendered service = object("{}", "Service", "gpushare-schd-extender");
        service.content().put("specification", Map.of());
        assertThatThrownBy(() -> ObjectSchema.check(service)).hasMessageContaining("specification");
    }

    /** A node that starts a program ten times slower than others must not kill it meanwhile. */
    @Test
    void eachProgramHasTimeToStart() throws Exception {
        List<Rendered> objects = Chart.objects("dra: {enabled: true}", "1.36.2");
        assertThat(object(objects, "Deployment", "gpu-share-scheduler-extender").container("startupProbe"))
                .contains("/healthz", "scheme=HTTPS", "periodSeconds=1", "failureThreshold=300");
        for (String program : List.of("gpu-share-device-plugin", "gpu-share-claims")) {
            assertThat(object(objects, "DaemonSet", program).container("startupProbe"))
                    .as(program)
                    .contains("tcpSocket", "periodSeconds=1", "failureThreshold=600");
        }
    }

    @Test
    void theDefaultsLetNobodyBindWithoutACertificate() throws Exception {
        List<Rendered> objects = Chart.objects("{}", "1.36.2");
        assertThat(object(objects, "Service", "gpushare-schd-extender").text("spec", "type"))
                .isEqualTo("ClusterIP");
        Rendered extender = object(objects, "Deployment", "gpu-share-scheduler-extender");
        assertThat(extender.container("args")).contains("--client-ca-file=/tls/ca.crt", "--leader-elect=true");
        assertThat(extender.container("readinessProbe")).contains("scheme=HTTPS", "/readyz/replica");
        assertThat(kinds(objects))
                .contains("PodDisruptionBudget", "ValidatingAdmissionPolicy")
                .doesNotContain("NetworkPolicy", "PodMonitor");

        X509Certificate ca = certificate(objects, "gpushare-schd-extender-tls", "ca.crt");
        X509Certificate server = certificate(objects, "gpushare-schd-extender-tls", "tls.crt");
        X509Certificate client = certificate(objects, "gpushare-scheduler-tls", "tls.crt");
        server.verify(ca.getPublicKey());
        client.verify(ca.getPublicKey());
        assertThat(server.getSubjectAlternativeNames())
                .extracting(each -> String.valueOf(each.get(1)))
                .contains("gpushare-schd-extender", "gpushare-schd-extender.kube-system.svc");
        assertThat(client.getExtendedKeyUsage()).contains("1.3.6.1.5.5.7.3.2");
        assertThat(certificate(objects, "gpushare-scheduler-tls", "ca.crt")).isEqualTo(ca);
    }

    @Test
    void theDefaultsLetWhoeverMayInKubernetesUseTheToolsByATokenOnAPortOfTheirOwn() {
        List<Rendered> objects = Chart.objects("viewers: {groups: [team]}", "1.36.2");
        assertThat(object(objects, "Deployment", "gpu-share-scheduler-extender").container("args"))
                .contains("--view-port=12346");
        assertThat(object(objects, "Service", "gpushare-schd-extender").text("spec", "ports"))
                .contains("name=view, port=12346, targetPort=view");
        assertThat(object(objects, "ClusterRoleBinding", "gpu-share-scheduler-extender-reviews")
                        .text("roleRef", "name"))
                .isEqualTo("system:auth-delegator");
        assertThat(object(objects, "Role", "gpushare-view").text("rules"))
                .isEqualTo("[{apiGroups=[gpushare.io], resources=[view], verbs=[get]}]");
        assertThat(object(objects, "RoleBinding", "gpushare-view").text("subjects"))
                .isEqualTo("[{kind=ServiceAccount, name=gpushare-viewer, namespace=kube-system}]");
        assertThat(object(objects, "Role", "gpushare-viewer").text("rules"))
                .as("viewers can't reach the port on which pods are bound")
                .contains("[https:gpushare-schd-extender:view]", "serviceaccounts/token")
                .doesNotContain("extender:http");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "extender: {view: 'off'}",
                "extender: {view: open}",
                "compatibility: {gpushare: true}",
                "{tls: {enabled: false}, networkPolicy: {allowFrom: [192.0.2.10/32]}}"
            })
    void whereTheViewNeedsNoTokenNobodyGetsPermissionsForIt(String values) {
        List<Rendered> objects = Chart.objects(values, "1.36.2");
        assertThat(objects.toString()).doesNotContain("gpushare-viewer", "gpushare-view", "reviews");
        assertThat(object(objects, "Deployment", "gpu-share-scheduler-extender").container("args"))
                .doesNotContain("view-port");
    }

    @Test
    void plainHttpNeedsAddressesOrCompatibility() {
        assertThatThrownBy(() -> Chart.objects("tls: {enabled: false}", "1.36.2"))
                .hasMessageContaining("anyone who reaches the extender's port can bind pods: set tls.enabled=true");
        assertThatThrownBy(() -> Chart.objects("""
            tls: {enabled: false}
            networkPolicy: {enabled: false, allowFrom: [192.0.2.10/32]}
            """, "1.36.2")).hasMessageContaining("can bind pods");
        Rendered policy = object(set("plain HTTP for two addresses"), "NetworkPolicy", "gpushare-schd-extender");
        assertThat(policy.text("spec", "ingress")).contains("cidr=192.0.2.10/32", "cidr=2001:db8::1/128");
    }

    @Test
    void olderVersionsGetOnlyWhatTheyHave() {
        List<Rendered> old = Chart.objects("scheduler: {enabled: true}", "1.20.15");
        assertThat(object(old, "PodDisruptionBudget", "gpu-share-scheduler-extender")
                        .text("apiVersion"))
                .isEqualTo("policy/v1beta1");
        assertThat(kinds(old)).doesNotContain("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy");
        assertThat(kinds(Chart.objects("scheduler: {enabled: true}", "1.35.1-eks-1234")))
                .contains("ValidatingAdmissionPolicy")
                .doesNotContain("MutatingAdmissionPolicy");
        List<Rendered> managed = Chart.objects("scheduler: {enabled: true}", "1.36.2-gke.100");
        assertThat(kinds(managed)).contains("MutatingAdmissionPolicy");
        assertThat(object(managed, "Deployment", "gpushare-scheduler").container("image"))
                .endsWith("kube-scheduler:v1.36.2");
    }

    @Test
    void oneReplicaHasNoDisruptionBudgetWhichWouldBlockDrains() {
        assertThat(kinds(Chart.objects("extender: {replicas: 1}", "1.36.2"))).doesNotContain("PodDisruptionBudget");
    }

    @Test
    void theNodesOfFeatureDiscoveryAreAlternatives() {
        Rendered plugin = object(set("GPU Operator's nodes"), "DaemonSet", "gpu-share-device-plugin");
        Object pod = plugin.at("spec", "template", "spec");
        assertThat(String.valueOf(pod)).contains("runtimeClassName=nvidia").doesNotContain("nodeSelector={gpushare");
        String terms = plugin.text(
                "spec",
                "template",
                "spec",
                "affinity",
                "nodeAffinity",
                "requiredDuringSchedulingIgnoredDuringExecution",
                "nodeSelectorTerms");
        assertThat(terms.split("matchExpressions")).hasSize(3);
        assertThat(terms.split("gpushare.io/plugin")).hasSize(3);
    }

    private static String pluginArgs(String values) {
        return object(Chart.objects(values, "1.36.2"), "DaemonSet", "gpu-share-device-plugin")
                .container("args");
    }

    @Test
    void theSupervisorOfMpsIsTheOneOfDeployIsolation() throws IOException {
        String values = "compatibility: {gpushare: true}\nisolation: {provider: mps, fallback: none}\n";
        List<Rendered> objects = Chart.objects(values, "1.36.2");
        try (Reader file = Files.newBufferedReader(Chart.FOLDER.resolveSibling("isolation/mps.yaml"))) {
            assertThat(object(objects, "DaemonSet", "gpu-share-mps").content()).isEqualTo(new Yaml().load(file));
        }
        Rendered plugin = object(objects, "DaemonSet", "gpu-share-device-plugin");
        assertThat(plugin.container("args"))
                .contains("--isolation=mps", "--isolation-fallback=none")
                .doesNotContain("default-cores", "reserved-memory");
        assertThat(pluginArgs("isolation: {provider: mps, reservedMemory: 600, mps: {defaultCores: memory*1.5}}"))
                .contains("--reserved-memory=600", "--mps-default-cores=memory*1.5");
        assertThat(pluginArgs("isolation: {provider: mps, reservedMemory: none, mps: {defaultCores: 30}}"))
                .contains("--reserved-memory=none", "--mps-default-cores=30");
        assertThat(plugin.container("volumeMounts"))
                .contains("/run/gpushare/mps")
                .doesNotContain("cgroup");
        assertThat(plugin.container("securityContext")).doesNotContain("SYS_ADMIN");
    }

    @Test
    void onlyLimitsOfTheDriverNeedACapabilityAndTheCgroups() {
        List<Rendered> objects = Chart.objects("isolation: {provider: driver}", "1.36.2");
        Rendered plugin = object(objects, "DaemonSet", "gpu-share-device-plugin");
        assertThat(plugin.container("args")).contains("--isolation=driver").doesNotContain("fallback");
        assertThat(plugin.container("volumeMounts")).contains("/sys/fs/cgroup").doesNotContain("mps");
        assertThat(plugin.container("securityContext")).contains("add=[SYS_ADMIN]");
        Rendered without = object("{}", "DaemonSet", "gpu-share-device-plugin");
        assertThat(without.content().toString()).doesNotContain("SYS_ADMIN", "/sys/fs/cgroup", "--isolation");
        assertThatThrownBy(() -> Chart.objects("isolation: {provider: mps}\ndevicePlugin: {hostPID: false}", "1.36.2"))
                .hasMessageContaining("isolation.provider=mps needs devicePlugin.hostPID=true");
        assertThatThrownBy(() -> Chart.objects("isolation: {provider: driver}\nopenshift: {enabled: true}", "1.36.2"))
                .hasMessageContaining("allow no isolation: set isolation.provider=none");
    }

    @Test
    void hamiCoreHasItsDirectoriesAndIsCopiedOnlyFromAnImageThatIsNamed() throws IOException {
        Rendered plugin = object("isolation: {provider: hami-core}", "DaemonSet", "gpu-share-device-plugin");
        try (Reader file = Files.newBufferedReader(Chart.FOLDER.resolveSibling("isolation/hami-core-patch.yaml"))) {
            Object patch = new Yaml().load(file);
            assertThat(patch.toString())
                    .contains("mountPath=/var/lib/gpushare/hami-core", "mountPath=/usr/local/vgpu, readOnly=true");
        }
        assertThat(plugin.container("args"))
                .contains("--isolation=hami-core")
                .doesNotContain("--hami-core-library", "--framework-variables");
        assertThat(plugin.container("volumeMounts"))
                .contains("mountPath=/var/lib/gpushare/hami-core", "mountPath=/usr/local/vgpu, readOnly=true");
        assertThat(plugin.container("securityContext")).contains("add=[DAC_OVERRIDE, FOWNER]");
        assertThat(plugin.content().toString()).doesNotContain("initContainers");

        Rendered copied = object(set("HAMi's requests"), "DaemonSet", "gpu-share-device-plugin");
        assertThat(copied.container("args"))
                .contains("--hami-core-library=/opt/vgpu/libvgpu.so", "--framework-variables=false");
        assertThat(copied.content().toString())
                .contains(
                        "image=example.com/hami:v2",
                        "cp /lib/vgpu.so* /node/.new && chmod 644 /node/.new && mv /node/.new /node/libvgpu.so",
                        "path=/opt/vgpu");
    }

    @Test
    void theAddressOfGrafanaReachesTheExtender() {
        Rendered extender = object(set("cert-manager and monitoring"), "Deployment", "gpu-share-scheduler-extender");
        assertThat(extender.container("args")).contains("--grafana-url=https://grafana.example/");
    }

    @Test
    void furtherNamesOfTheViewReachTheExtender() {
        Rendered extender = object(
                "extender: {viewHosts: [gpu.example.com, gpu.example.org]}",
                "Deployment",
                "gpu-share-scheduler-extender");
        assertThat(extender.container("args")).contains("--view-hosts=gpu.example.com,gpu.example.org");
    }

    @Test
    void otherResourceNamesReachEveryObjectThatNamesThem() {
        String all = String.join(
                "", Chart.templates(set("everything else"), "1.36.2").values());
        assertThat(all)
                .contains("--memory-resource=example.com/memory", "--card-resource=nvidia.com/gpu")
                .doesNotContain("aliyun.com/gpu-mem", "aliyun.com/gpu-count");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "service: {type: NodePort, nodePort: 80} | nodePort",
                "service: {nodePort: 30080} | has no effect on a Service of type ClusterIP: set service.type=NodePort",
                "extender: {replica: 2} | replica",
                "extender: {policy: random} | policy",
                "devicePlugin: {memoryUnit: 1GB} | memoryUnit",
                "image: {registry: 'https://registry.example'} | registry",
                "image: {registry: registry.example/} | registry",
                "networkPolicy: {allowFrom: [192.0.2.10]} | allowFrom",
                "colour: red | colour",
                "tls: {source: vault} | source",
                "monitoring: {grafanaUrl: grafana.example} | grafanaUrl",
                "monitoring: {grafanaUrl: 'https://my_grafana/'} | grafanaUrl",
                "monitoring: {grafanaUrl: 'https://me:secret@grafana.example/'} | grafanaUrl",
                "isolation: {provider: hami} | provider",
                "isolation: {fallback: mps} | fallback",
                "isolation: {reservedMemory: some} | reservedMemory",
                "isolation: {mps: {defaultCores: half}} | defaultCores",
                "isolation: {mps: {defaultCores: memory*0}} | defaultCores",
                "isolation: {mps: {defaultCores: memory*101}} | defaultCores",
                "isolation: {mps: {defaultCores: 101}} | defaultCores",
                "isolation: {hamiCore: {pathInImage: '/a; reboot'}} | pathInImage",
                "devicePlugin: {frameworkVariables: 'no'} | frameworkVariables",
                "hami: {enable: true} | enable",
                "hami: {enabled: 'true'} | enabled",
                "hami: {slots: 0} | slots",
                "hami: {slots: 101} | slots",
                "hami: {slots: 2.5} | slots",
                "scheduler: {furtherNames: hami-scheduler} | furtherNames",
                "scheduler: {furtherNames: [HAMi]} | furtherNames",
                "scheduler: {furtherNames: [a, a]} | furtherNames"
            })
    void unknownNamesAndInvalidValuesAreRefused(String values, String name) {
        assertThatThrownBy(() -> Chart.objects(values, "1.36.2")).hasMessageContaining(name);
    }

    private static String set(String name) {
        return Objects.requireNonNull(SETS.get(name));
    }

    private static Set<String> kinds(List<Rendered> objects) {
        Set<String> kinds = new TreeSet<>();
        objects.forEach(object -> kinds.add(object.kind()));
        return kinds;
    }

    private static X509Certificate certificate(List<Rendered> objects, String secret, String key) throws Exception {
        byte[] pem =
                Base64.getDecoder().decode(object(objects, "Secret", secret).text("data", key));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
    }
}
