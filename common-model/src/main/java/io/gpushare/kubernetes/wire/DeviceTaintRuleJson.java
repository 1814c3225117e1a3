package io.gpushare.kubernetes.wire;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.DeviceTaintRule;
import io.gpushare.model.text.Printable;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A DeviceTaintRule in the API's JSON form, which is the same in all versions from Kubernetes 1.35 on. */
public final class DeviceTaintRuleJson {
    /** The API server's limit for names and for the keys of taints is lower. */
    private static final int LONGEST = 400;

    /** Consumers treat others like the effect None. */
    private static final Set<String> CLOSING = Set.of("NoSchedule", "NoExecute");

    private DeviceTaintRuleJson() {}

    public static DeviceTaintRule read(JsonNode rule) {
        JsonNode spec = rule.path("spec");
        JsonNode taint = spec.path("taint");
        String value = text(taint, "value");
        String effect = text(taint, "effect");
        return new DeviceTaintRule(
                Printable.line(text(rule.path("metadata"), "name"), LONGEST),
                CLOSING.contains(effect) ? cards(spec.path("deviceSelector")) : null,
                Printable.line(text(taint, "key") + (value.isEmpty() ? "" : "=" + value) + ":" + effect, LONGEST));
    }

    /** A rule without a selector selects nothing, and an empty selector everything. */
    private static DeviceTaintRule.@Nullable Cards cards(JsonNode selector) {
        // Before 1.35 a selector could name a class, or have expressions, which kube-scheduler alone can tell.
        boolean ours = selector.isObject()
                && !selector.hasNonNull("deviceClassName")
                && selector.path("selectors").isEmpty()
                && selector.path("driver").asText(ClaimDecoder.DRIVER).equals(ClaimDecoder.DRIVER);
        return ours
                ? new DeviceTaintRule.Cards(
                        selector.path("pool").asText(null),
                        selector.path("device").asText(null))
                : null;
    }
}
