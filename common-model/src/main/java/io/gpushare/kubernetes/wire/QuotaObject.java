package io.gpushare.kubernetes.wire;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A ResourceQuota in the API's JSON form, of which only extended resources are kept. */
public final class QuotaObject extends ApiObject {
    // Extended resources are counted by their requests only.
    private static final String PREFIX = "requests.";
    private static final int MOST_RESOURCES = 64;
    private static final int LONGEST_AMOUNT = 40;
    private static final int MOST_VALUES = 8;

    @Nullable
    Spec spec;

    @Nullable
    Status status;

    static final class Spec {
        @Nullable
        ScopeSelector scopeSelector;

        @Nullable
        List<String> scopes;
    }

    static final class ScopeSelector {
        @Nullable
        List<Requirement> matchExpressions;
    }

    static final class Requirement {
        @Nullable
        String scopeName;

        @Nullable
        String operator;

        @Nullable
        List<String> values;
    }

    static final class Status {
        @Nullable
        Map<String, String> hard;

        @Nullable
        Map<String, String> used;
    }

    @Override
    void strip() {
        if (status != null) {
            status.hard = extended(status.hard);
            status.used = extended(status.used);
        }
    }

    private static Map<String, String> extended(@Nullable Map<String, @Nullable String> amounts) {
        Map<String, String> kept = new TreeMap<>();
        if (amounts != null) {
            amounts.forEach((resource, amount) -> {
                if (resource.startsWith(PREFIX)
                        && resource.contains("/")
                        && amount != null
                        && amount.length() <= LONGEST_AMOUNT
                        && kept.size() < MOST_RESOURCES) {
                    kept.put(shared(resource.substring(PREFIX.length())), amount);
                }
            });
        }
        return kept;
    }

    public String namespace() {
        return text(meta().getNamespace());
    }

    /** The quantities that its pods may request together, by extended resource. */
    public Map<String, String> hard() {
        return status == null || status.hard == null ? Map.of() : status.hard;
    }

    /** The quantities that its pods request together, by extended resource. */
    public Map<String, String> used() {
        return status == null || status.used == null ? Map.of() : status.used;
    }

    /** Which pods it counts, such as {@code PriorityClass In low, batch}; empty if it counts all. */
    public String scope() {
        if (spec == null) {
            return "";
        }
        List<String> scopes = spec.scopes == null ? List.of() : spec.scopes;
        List<Requirement> requirements = spec.scopeSelector == null || spec.scopeSelector.matchExpressions == null
                ? List.of()
                : spec.scopeSelector.matchExpressions;
        String selected =
                requirements.stream().limit(MOST_VALUES).map(QuotaObject::text).collect(Collectors.joining(" and "));
        String named = scopes.stream().limit(MOST_VALUES).collect(Collectors.joining(" and "));
        return named.isEmpty() || selected.isEmpty() ? named + selected : named + " and " + selected;
    }

    private static String text(Requirement requirement) {
        List<String> values = requirement.values == null ? List.of() : requirement.values;
        String text = text(requirement.scopeName) + " " + text(requirement.operator);
        return values.isEmpty()
                ? text
                : text + " " + values.stream().limit(MOST_VALUES).collect(Collectors.joining(", "));
    }
}
