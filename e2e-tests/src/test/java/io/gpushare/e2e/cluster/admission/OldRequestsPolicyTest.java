package io.gpushare.e2e.cluster.admission;

import static io.gpushare.e2e.cluster.admission.AdmissionPolicies.list;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.USER;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chart.Chart;
import io.gpushare.e2e.cluster.admission.AdmissionPolicies.Request;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The claim that the requests of a pod become, and which container uses which request of it. */
class OldRequestsPolicyTest {
    private static AdmissionPolicies policies;

    @BeforeAll
    static void render() {
        Map<String, String> chart = Chart.templates(
                "dra: {enabled: true, requests: true}\nhami: {enabled: true}\n"
                        + "devicePlugin: {memoryUnit: 1MiB}\nisolation: {provider: hami-core}",
                "1.36.3");
        policies = new AdmissionPolicies(Objects.requireNonNull(chart.get("requests.yaml")));
    }

    private static Request creation(String init, String app) throws Exception {
        return new Request(
                USER,
                "CREATE",
                "pods",
                pod("initContainers: [" + init + "]\n  containers: [" + app + "]"),
                null,
                Map.of());
    }

    private static String template(String init, String app) throws Exception {
        Map<String, Object> variables = policies.mutation(creation(init, app));
        assertThat(variables.get("obstacle")).isEqualTo("");
        return String.valueOf(variables.get("template"));
    }

    /** The containers, in the pod's order, with the request that each uses. */
    private static List<String> uses(String init, String app) throws Exception {
        Map<String, Object> variables = policies.mutation(creation(init, app));
        List<?> paths = (List<?>) Objects.requireNonNull(variables.get("paths"));
        return list(variables.get("uses")).stream()
                .map(use ->
                        String.valueOf(use.get("path")).replace("/spec/", "") + " r" + paths.indexOf(use.get("shares")))
                .toList();
    }

    private static String memory(String name, int mib) {
        return "{name: " + name + ", resources: {limits: {aliyun.com/gpu-mem: '" + mib + "'}}}";
    }

    private static String hami(String name, String limits) {
        return "{name: " + name + ", resources: {limits: {"
                + limits.replaceAll("(gpu[a-z]*): ([0-9]+)", "nvidia.com/$1: '$2'") + "}}}";
    }

    /** On a node of the device plugin these are 10,000 MiB; they became 35,000. */
    @Test
    void initContainersShareTheLargestRequest() throws Exception {
        String init =
                IntStream.range(0, 3).mapToObj(i -> memory("i" + i, 10_000)).collect(Collectors.joining(", "));
        assertThat(template(init, memory("a", 5000))).isEqualTo("gpushare.1x-10000mi");
        assertThat(uses(init, memory("a", 5000)))
                .containsExactly(
                        "initContainers/0 r0", "initContainers/1 r0", "initContainers/2 r0", "containers/0 r0");
        assertThat(template(init, "{name: a}")).isEqualTo("gpushare.1x-10000mi");
        assertThat(uses(init, memory("a", 2000) + ", " + memory("b", 5000)))
                .containsExactly(
                        "initContainers/0 r1",
                        "initContainers/1 r1",
                        "initContainers/2 r1",
                        "containers/0 r0",
                        "containers/1 r1");
        assertThat(template(init, memory("a", 2000) + ", " + memory("b", 5000)))
                .isEqualTo("gpushare-one.1x-2000mi.1x-10000mi");
        assertThat(template(memory("i", 3000) + ", " + memory("j", 7000) + ", " + memory("k", 7000), "{name: a}"))
                .isEqualTo("gpushare.1x-7000mi");
    }

    @Test
    void oneThatRequestsNoMoreThanAContainerUsesItsRequest() throws Exception {
        assertThat(template(memory("i", 4000), memory("a", 3000) + ", " + memory("b", 5000)))
                .isEqualTo("gpushare-one.1x-3000mi.1x-5000mi");
        assertThat(uses(hami("i", "gpu: 1, gpumem: 3000"), hami("a", "gpu: 1, gpumem: 3000")))
                .containsExactly("initContainers/0 r0", "containers/0 r0");
    }

    /** A container would see cards, or have a limit of its cores, that it did not request. */
    @Test
    void anotherNumberOfCardsAndCoresThatTheOtherDoesNotRequestAreRequestsOfTheirOwn() throws Exception {
        assertThat(template(hami("i", "gpu: 2, gpumem: 100"), hami("a", "gpu: 1, gpumem: 3000")))
                .isEqualTo("gpushare.2x-100mi.1x-3000mi");
        assertThat(template(hami("i", "gpu: 1, gpumem: 100, gpucores: 30"), hami("a", "gpu: 1, gpumem: 3000")))
                .isEqualTo("gpushare.1x-100mi-30c.1x-3000mi");
        assertThat(template(
                        hami("i", "gpu: 1, gpumem: 100, gpucores: 30"),
                        hami("a", "gpu: 1, gpumem: 3000, gpucores: 20")))
                .isEqualTo("gpushare.1x-3000mi-30c");
        assertThat(template(hami("i", "gpu: 2"), hami("a", "gpu: 2, gpumem: 3000")))
                .isEqualTo("gpushare.2x");
    }

    @Test
    void aSidecarRunsBesideTheOthers() throws Exception {
        String sidecar = memory("s", 4000).replace("{name: s", "{name: s, restartPolicy: Always");
        assertThat(template(sidecar + ", " + memory("i", 6000), memory("a", 5000)))
                .isEqualTo("gpushare-one.1x-4000mi.1x-6000mi");
    }

    private static List<String> refusals(String claims, String init, String app) throws Exception {
        String spec = "resourceClaims: [" + claims + "]\n  initContainers: [" + init + "]\n  containers: [" + app + "]";
        return policies.refusals(new Request(USER, "CREATE", "pods", pod(spec), null, Map.of()));
    }

    private static String claim(String name, String template) {
        return "{name: " + name + ", resourceClaimTemplateName: " + template + "}";
    }

    private static String using(String name, String... claims) {
        return "{name: " + name + ", resources: {claims: [{name: " + String.join("}, {name: ", claims) + "}]}}";
    }

    /** Such a pod got a node, and waited there for ever. */
    @Test
    void aContainerOfSeveralRequestsIsRefusedWhenThePodIsMadeUnlessTheyAreWholeCards() throws Exception {
        String parts = claim("a", "gpushare.1x-3072mi") + ", " + claim("b", "gpushare.1x-1024mi");
        String each = using("x", "a") + ", " + using("y", "b");
        assertThat(refusals(parts, using("preflight", "a", "b"), each))
                .singleElement()
                .asString()
                .contains("let each container, also each init container, use one request");
        assertThat(refusals(parts, using("preflight", "a"), each)).isEmpty();
        String whole = claim("a", "gpushare.1x") + ", " + claim("b", "gpushare.2x.t-t4-t");
        assertThat(refusals(whole, using("preflight", "a", "b"), each)).isEmpty();
        String one = claim("a", "gpushare-one.1x-3072mi.1x-1024mi.1x.1x");
        assertThat(refusals(one, "", using("x", "a"))).hasSize(1);
        assertThat(refusals(one, "", using("x", "a, request: r1") + ", " + using("y", "a, request: r0")))
                .isEmpty();
        assertThat(refusals(one, "", using("x", "a, request: r2", "a, request: r3")))
                .isEmpty();
        assertThat(refusals(one, "", using("x", "a, request: r2", "a, request: r1")))
                .hasSize(1);
        assertThat(refusals(
                        claim("a", "mine") + ", {name: b, resourceClaimName: gpushare.1x-1mi}",
                        "",
                        using("x", "a", "b")))
                .as("what they are is not known here")
                .isEmpty();
    }

    @Test
    void aContainerOfEachKindIsTheMostThatTheVariablesRead() throws Exception {
        String all =
                IntStream.range(0, 32).mapToObj(i -> memory("c" + i, 1000 + i)).collect(Collectors.joining(", "));
        assertThat(String.valueOf(policies.mutation(creation(all, all)).get("obstacle")))
                .startsWith("the requests are too many");
        assertThat(policies.refusals(creation(all, all)))
                .singleElement()
                .asString()
                .startsWith("the requests are too");
    }
}
