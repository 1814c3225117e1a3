package io.gpushare.model.codec;

import io.gpushare.model.text.NearestName;
import io.gpushare.model.text.Printable;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Annotations of a user that would have no effect: misspelt keys, and empty values. */
final class AnnotationMistakes {
    private static final List<String> FOR_PODS =
            List.of(AnnotationKeys.CARDS, AnnotationKeys.POLICY, AnnotationKeys.SELECT);

    private AnnotationMistakes() {}

    /** A sentence about the first mistake; empty if there is none. */
    static Optional<String> find(Map<String, String> annotations) {
        return annotations.keySet().stream()
                .filter(AnnotationKeys::unknown)
                .sorted()
                .findFirst()
                .map(AnnotationMistakes::unknown)
                .or(() -> FOR_PODS.stream()
                        .filter(key -> annotations.getOrDefault(key, "-").isBlank())
                        .findFirst()
                        .map(key -> "annotation " + key + " is empty: write a value, or remove the annotation"));
    }

    private static String unknown(String key) {
        return "annotation " + Printable.quoted(key) + " is unknown"
                + NearestName.of(key, FOR_PODS)
                        .map(near -> "; did you mean " + near + "?")
                        .orElse(": pods may have " + String.join(", ", FOR_PODS));
    }
}
