package io.gpushare.model.codec;

import io.gpushare.model.hami.HamiAnnotations;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Annotations that this project reads, and the most characters of each. The API accepts 256 KiB on every pod, of any
 * user: whoever keeps annotations keeps only these, and no more of them than their decoders accept.
 */
public record AnnotationLimits(Map<String, Integer> most) {
    // 256 shares of cards in 64 containers, the most that a demand has, with the longest names and UUIDs.
    private static final int ALLOCATION = 32_768;

    private static final int NODE_NAME = 253;

    // Tenants can't write on nodes.
    private static final int ON_NODES = 262_144;

    /** Those that programs write, this project's and other schedulers'. */
    public static final AnnotationLimits WRITTEN = new AnnotationLimits(Map.ofEntries(
            Map.entry(AnnotationKeys.INVENTORY, ON_NODES),
            Map.entry(AnnotationKeys.CORDON, ON_NODES),
            Map.entry(AnnotationKeys.RESERVATION, ON_NODES),
            Map.entry(AnnotationKeys.LABELS, ON_NODES),
            Map.entry(AnnotationKeys.ALLOCATION, ALLOCATION),
            Map.entry(AnnotationKeys.LEGACY_INDEX, 16),
            Map.entry(AnnotationKeys.LEGACY_CARD_UNITS, 16),
            Map.entry(AnnotationKeys.LEGACY_ASSIGNED, 16),
            Map.entry(HamiAnnotations.DEVICES, ALLOCATION),
            Map.entry(HamiAnnotations.NODE, NODE_NAME),
            Map.entry(HamiAnnotations.PHASE, 16),
            Map.entry(AnnotationKeys.METRICS_PORT, 16),
            Map.entry(AnnotationKeys.MIRROR, 64)));

    public AnnotationLimits {
        most = Map.copyOf(most);
    }

    /** These and further ones. */
    public AnnotationLimits and(Map<String, Integer> more) {
        Map<String, Integer> all = new HashMap<>(most);
        all.putAll(more);
        return new AnnotationLimits(all);
    }

    /** Whether this project reads that key. */
    public boolean reads(String key) {
        return most.containsKey(key);
    }

    /** The value, cut after one character more than its decoder accepts. */
    public String cut(String key, String value) {
        @Nullable Integer longest = most.get(key);
        return longest == null || value.length() <= longest ? value : value.substring(0, longest + 1);
    }

    /** A sentence about the first of these annotations that is too long; empty if none is. */
    public Optional<String> tooLong(Map<String, String> annotations, Collection<String> keys) {
        return keys.stream()
                .filter(key -> annotations.getOrDefault(key, "").length() > most.getOrDefault(key, Integer.MAX_VALUE))
                .findFirst()
                .map(key -> "annotation " + key + " has more than " + most.get(key)
                        + " characters, the most that are allowed");
    }
}
