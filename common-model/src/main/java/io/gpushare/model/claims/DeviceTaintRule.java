package io.gpushare.model.claims;

import org.jspecify.annotations.Nullable;

/**
 * A DeviceTaintRule of the API, as far as it is about our cards. Nothing in it is checked.
 *
 * @param cards those that it closes to claims that do not tolerate its taint; null for none
 * @param taint as {@code key=value:effect}
 */
public record DeviceTaintRule(String name, @Nullable Cards cards, String taint) {
    /**
     * The cards that a rule selects.
     *
     * @param node null for any
     * @param card its name in slices; null for any
     */
    public record Cards(@Nullable String node, @Nullable String card) {}

    /** Only what identifies it. */
    public DeviceTaintRule identity() {
        return new DeviceTaintRule(name, null, "");
    }
}
