package io.gpushare.model.codec;

import io.gpushare.model.hami.HamiAnnotations;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The annotations that this project reads, and the most characters of each. The API accepts 256 KiB on every pod, of
 * any user: whoever keeps annotations keeps only these, and no more of them than their decoders accept.
 */
public final class AnnotationLimits {
    // A list of a node's cards: 99 UUIDs.
    private static final int SELECTOR = 4096;

    // 256 shares of cards in 64 containers, the most that DemandCodec accepts, with the longest names and UUIDs.
    private static final int ALLOCATION = 32_768;

    private static final int NODE_NAME = 253;

    // Tenants can't write on nodes.
    private static final int ON_NODES = 262_144;

    private static final int WORD = 64;

    private static final Map<String, Integer> MOST = new HashMap<>(Map.ofEntries(
            Map.entry(AnnotationKeys.INVENTORY, ON_NODES),
            Map.entry(AnnotationKeys.CORDON, ON_NODES),
            Map.entry(AnnotationKeys.RESERVATION, ON_NODES),
            Map.entry(AnnotationKeys.LABELS, ON_NODES),
            Map.entry(AnnotationKeys.ALLOCATION, ALLOCATION),
            Map.entry(AnnotationKeys.SELECT, SELECTOR),
            Map.entry(AnnotationKeys.HAMI_USE_TYPE, SELECTOR),
            Map.entry(AnnotationKeys.HAMI_NO_TYPE, SELECTOR),
            Map.entry(AnnotationKeys.HAMI_USE_UUID, SELECTOR),
            Map.entry(AnnotationKeys.HAMI_NO_UUID, SELECTOR),
            Map.entry(AnnotationKeys.HAMI_USE_INDEX, SELECTOR),
            Map.entry(AnnotationKeys.HAMI_NO_INDEX, SELECTOR),
            Map.entry(AnnotationKeys.CARDS, 16),
            Map.entry(AnnotationKeys.HAMI_NODE_POLICY, WORD),
            Map.entry(AnnotationKeys.HAMI_CARD_POLICY, WORD),
            Map.entry(AnnotationKeys.HAMI_MODE, WORD),
            Map.entry(AnnotationKeys.POLICY, WORD),
            Map.entry(AnnotationKeys.LEGACY_INDEX, 16),
            Map.entry(AnnotationKeys.LEGACY_CARD_UNITS, 16),
            Map.entry(AnnotationKeys.LEGACY_ASSIGNED, 16),
            Map.entry(HamiAnnotations.DEVICES, ALLOCATION),
            Map.entry(HamiAnnotations.NODE, NODE_NAME),
            Map.entry(HamiAnnotations.PHASE, 16),
            Map.entry(AnnotationKeys.METRICS_PORT, 16)));

    static {
        // Users are told that these have no effect.
        AnnotationKeys.HAMI_WITHOUT_EFFECT.forEach(key -> MOST.put(key, WORD));
    }

    private AnnotationLimits() {}

    /** Whether this project reads that key. */
    public static boolean reads(String key) {
        return MOST.containsKey(key);
    }

    /** The value, cut after one character more than its decoder accepts. */
    public static String cut(String key, String value) {
        @Nullable Integer most = MOST.get(key);
        return most == null || value.length() <= most ? value : value.substring(0, most + 1);
    }

    /** A sentence about the first of these annotations that is too long; empty if none is. */
    public static Optional<String> tooLong(Map<String, String> annotations, Collection<String> keys) {
        return keys.stream()
                .filter(key -> annotations.getOrDefault(key, "").length() > MOST.getOrDefault(key, Integer.MAX_VALUE))
                .findFirst()
                .map(key -> "annotation " + key + " has more than " + MOST.get(key)
                        + " characters, the most that are allowed");
    }
}
