package io.gpushare.model.node;

/**
 * A toleration of a pod.
 *
 * @param key empty for every key
 * @param operator {@code Exists}; {@code Equal} or empty to compare values
 * @param effect empty for every effect
 */
public record Toleration(String key, String operator, String value, String effect) {

    /** As Toleration.ToleratesTaint. Operators that compare numbers are alpha, and tolerate nothing here. */
    public boolean tolerates(Taint taint) {
        if (!effect.isEmpty() && !effect.equals(taint.effect())) {
            return false;
        }
        if (!key.isEmpty() && !key.equals(taint.key())) {
            return false;
        }
        return switch (operator) {
            case "Exists" -> true;
            case "", "Equal" -> !key.isEmpty() && value.equals(taint.value());
            default -> false;
        };
    }
}
