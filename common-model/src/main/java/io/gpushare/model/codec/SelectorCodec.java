package io.gpushare.model.codec;

import io.gpushare.model.selector.CardCondition;
import io.gpushare.model.selector.CardCondition.Test;
import io.gpushare.model.selector.CardFact;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.selector.FactValue;
import io.gpushare.model.selector.SelectorParser;
import io.gpushare.model.selector.SelectorSyntaxException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pod annotation {@value AnnotationKeys#SELECT}, such as {@code memory >= 24Gi, compute >= 8.0, model in (A100,
 * H100)}, and HAMi's six: {@code nvidia.com/use-gputype} and {@code nouse-gputype} list parts of model names, {@code
 * use-gpuuuid} and {@code nouse-gpuuuid} list cards, {@code use-gpuindexes} and {@code nouse-gpuindexes} their indices
 * on a node, separated by commas. An empty list has no effect. All annotations must hold.
 */
public final class SelectorCodec {
    // Decoded values take ten times the space of their text, and each is compared with each kind of card.
    private static final int MOST_VALUES = 256;

    private SelectorCodec() {}

    /**
     * Parses the value of the annotation.
     *
     * @throws SelectorSyntaxException with the position of the error; no other exception is thrown
     */
    public static CardSelector parse(String text) {
        return SelectorParser.parse(text);
    }

    /** Decodes the selector from a pod's annotations. */
    public static Decoded<CardSelector> decode(Map<String, String> annotations) {
        CardSelector all = CardSelector.ANY;
        boolean written = false;
        for (String key : AnnotationKeys.SELECTORS) {
            @Nullable String text = annotations.get(key);
            if (text != null) {
                written = true;
                try {
                    all = all.and(read(key, text));
                } catch (SelectorSyntaxException e) {
                    return new Decoded.Malformed<>("annotation " + key + ": " + e.getMessage());
                }
                if (all.values() > MOST_VALUES) {
                    return new Decoded.Malformed<>("annotation " + key + ": a pod selects cards by at most "
                            + MOST_VALUES + " values, and it has " + all.values());
                }
            }
        }
        return written ? new Decoded.Valid<>(all) : new Decoded.Absent<>();
    }

    private static CardSelector read(String key, String text) {
        return switch (key) {
            case AnnotationKeys.HAMI_USE_TYPE -> list(CardFact.MODEL, Test.LIKE, text);
            case AnnotationKeys.HAMI_NO_TYPE -> list(CardFact.MODEL, Test.NOT_LIKE, text);
            case AnnotationKeys.HAMI_USE_UUID -> list(CardFact.UUID, Test.IN, text);
            case AnnotationKeys.HAMI_NO_UUID -> list(CardFact.UUID, Test.NOT_IN, text);
            case AnnotationKeys.HAMI_USE_INDEX -> list(CardFact.INDEX, Test.IN, text);
            case AnnotationKeys.HAMI_NO_INDEX -> list(CardFact.INDEX, Test.NOT_IN, text);
            default -> parse(text);
        };
    }

    private static CardSelector list(CardFact fact, Test test, String text) {
        List<FactValue> values = SelectorParser.list(fact, text);
        return values.isEmpty() ? CardSelector.ANY : new CardSelector(List.of(new CardCondition(fact, test, values)));
    }
}
