package io.gpushare.kubernetes.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.claims.DeviceTaintRule;
import io.gpushare.model.claims.DeviceTaintRule.Cards;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DeviceTaintRules, as they come through a list. */
class DeviceTaintRuleJsonTest {
    private static DeviceTaintRule read(String object) throws IOException {
        String list = "{\"metadata\": {\"resourceVersion\": \"1\"}, \"items\": [" + object + "]}";
        List<DeviceTaintRule> rules = new ArrayList<>();
        ObjectReader.list(
                new ByteArrayInputStream(list.getBytes(UTF_8)), each -> rules.add(DeviceTaintRuleJson.read(each)));
        return rules.getFirst();
    }

    private static DeviceTaintRule ruled(String selector, String effect) throws IOException {
        return read("""
            {"metadata": {"name": "r"},
             "spec": {%s "taint": {"key": "example.com/broken", "effect": "%s"}}}\
            """.formatted(selector.isEmpty() ? "" : "\"deviceSelector\": " + selector + ",", effect));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1alpha3", "v1beta2", "v1"})
    void itIsTheSameInEachVersion(String version) throws IOException {
        DeviceTaintRule rule = read("""
            {"apiVersion": "resource.k8s.io/%s", "kind": "DeviceTaintRule",
             "metadata": {"name": "broken-fan", "uid": "r1", "generation": 2, "resourceVersion": "7",
               "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:taint": {}}}}]},
             "spec": {
               "deviceSelector": {"driver": "gpushare.io", "pool": "node-1", "device": "gpu-a"},
               "taint": {"key": "example.com/broken", "value": "fan", "effect": "NoExecute",
                 "timeAdded": "2026-11-30T03:00:00Z"}},
             "status": {"conditions": [{"type": "EvictionInProgress", "status": "True", "message": "1 pod"}]}}\
            """.formatted(version));
        assertThat(rule)
                .isEqualTo(new DeviceTaintRule(
                        "broken-fan", new Cards("node-1", "gpu-a"), "example.com/broken=fan:NoExecute"));
    }

    @Test
    void anEmptySelectorSelectsAllDevicesAndNoneSelectsNothing() throws IOException {
        assertThat(ruled("{}", "NoSchedule"))
                .isEqualTo(new DeviceTaintRule("r", new Cards(null, null), "example.com/broken:NoSchedule"));
        assertThat(ruled("{\"pool\": \"node-1\"}", "NoSchedule").cards()).isEqualTo(new Cards("node-1", null));
        assertThat(ruled("", "NoSchedule").cards()).isNull();
        assertThat(ruled("null", "NoSchedule").cards()).isNull();
    }

    @Test
    void devicesOfOtherDriversAreNotOurs() throws IOException {
        assertThat(ruled("{\"driver\": \"gpu.nvidia.com\"}", "NoSchedule").cards())
                .isNull();
    }

    @Test
    void whatOnlyKubeSchedulerCanTellClosesNothing() throws IOException {
        assertThat(ruled("{\"deviceClassName\": \"gpushare\"}", "NoSchedule").cards())
                .isNull();
        assertThat(ruled("{\"selectors\": [{\"cel\": {\"expression\": \"true\"}}]}", "NoSchedule")
                        .cards())
                .isNull();
    }

    @Test
    void theEffectNoneAndThoseOfTheFutureCloseNothing() throws IOException {
        assertThat(ruled("{}", "None").cards()).isNull();
        assertThat(ruled("{}", "NoExecuteWithPodDisruptionBudget").cards()).isNull();
        assertThat(ruled("{}", "").cards()).isNull();
    }

    @Test
    void whatIsShownIsOneShortLine() throws IOException {
        DeviceTaintRule rule = read("""
            {"metadata": {"name": "%s"}, "spec": {"deviceSelector": {},
             "taint": {"key": "a\\u001b[31m\\n", "value": "%s", "effect": "NoSchedule"}}}\
            """.formatted("n".repeat(5000), "v".repeat(5000)));
        assertThat(rule.name()).hasSizeLessThan(500);
        assertThat(rule.taint()).hasSizeLessThan(500).doesNotContain("\u001b", "\n");
    }
}
