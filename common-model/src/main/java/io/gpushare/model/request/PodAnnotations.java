package io.gpushare.model.request;

import io.gpushare.model.codec.AnnotationLimits;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.text.NearestName;
import io.gpushare.model.text.Printable;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The annotations that this project reads on pods: those of requests, and those of {@link AnnotationLimits}. */
public final class PodAnnotations {
    /** The cards that a pod accepts, a {@link CardSelector}; written by users. */
    public static final String SELECT = "gpushare.io/select";

    private static final AnnotationLimits LIMITS;

    /** Those that select cards, in the order in which they are read. */
    static final Map<String, Function<String, CardSelector>> SELECTORS = new LinkedHashMap<>();

    static {
        Map<String, Integer> most = new HashMap<>();
        FrontEnds.ALL.forEach(each -> {
            most.putAll(each.annotations());
            SELECTORS.putAll(each.selectors());
        });
        LIMITS = AnnotationLimits.WRITTEN.and(most);
    }

    private PodAnnotations() {}

    /** Whether this project reads that key. */
    public static boolean reads(String key) {
        return LIMITS.reads(key);
    }

    /** The value, cut after one character more than its decoder accepts. */
    public static String cut(String key, String value) {
        return LIMITS.cut(key, value);
    }

    /** The keys that select cards. They matter until the pod has its cards. */
    public static Set<String> selectors() {
        return SELECTORS.keySet();
    }

    /** Whether it looks like one of the keys that are read, and is none. */
    public static boolean unknown(String key) {
        return misspelt(key).isPresent();
    }

    private static Optional<String> misspelt(String key) {
        for (FrontEnd each : FrontEnds.ALL) {
            Optional<String> sentence = each.misspelt(key);
            if (sentence.isPresent()) {
                return sentence;
            }
        }
        return Optional.empty();
    }

    /** A sentence about the first annotation that can't be read; empty for none. */
    static Optional<String> mistake(Map<String, String> annotations) {
        return LIMITS.tooLong(annotations, SELECTORS.keySet())
                .or(() -> annotations.keySet().stream()
                        .sorted()
                        .flatMap(key -> misspelt(key).stream())
                        .findFirst());
    }

    /** A sentence about a key that is none of those. */
    static String misspelt(String key, Collection<String> known, String otherwise) {
        return "annotation " + Printable.quoted(key) + " is unknown"
                + NearestName.of(key, known)
                        .map(near -> "; did you mean " + near + "?")
                        .orElse(otherwise);
    }
}
