package io.gpushare.model.node;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A condition on labels, as in the selectors of the API.
 *
 * @param operator {@code In}, {@code NotIn}, {@code Exists}, {@code DoesNotExist} and, for nodes, {@code Gt} and {@code
 *     Lt}
 */
public record LabelRequirement(String key, String operator, Set<String> values) {
    public LabelRequirement {
        values = Set.copyOf(values);
    }

    /** Whether the operator is one that this program knows. */
    public boolean known() {
        return switch (operator) {
            case "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt" -> true;
            default -> false;
        };
    }

    /** Whether labels meet it; an unknown operator is never met. */
    public boolean matches(Map<String, String> labels) {
        @Nullable String value = labels.get(key);
        return switch (operator) {
            case "In" -> value != null && values.contains(value);
            case "NotIn" -> value == null || !values.contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" -> value != null && compare(value) > 0;
            case "Lt" -> value != null && compare(value) < 0;
            default -> false;
        };
    }

    /** Compares a label with the one value; 0 if either is no number of 64 bits, as for kube-scheduler. */
    private int compare(String value) {
        try {
            return values.size() == 1
                    ? Long.compare(
                            Long.parseLong(value),
                            Long.parseLong(values.iterator().next()))
                    : 0;
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
