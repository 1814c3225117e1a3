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
 * The pod annotation {@value AnnotationKeys#SELECT}, such as {@code memory >= 24Gi, compute >= 8.0, model in (A100, H100)},
 * and HAMi's four: {@code nvidia.com/use-gputype} and {@code nouse-gputype} name parts of models, {@code use-gpuuuid} and
 * {@code nouse-gpuuuid} cards, with commas between; an empty list says nothing. All that is written holds together.
 */
public final class SelectorCodec {
    private SelectorCodec() {}

    /**
     * Reads a selector as the annotation has it.
     *
     * @throws SelectorSyntaxException with the place of what is wrong; never anything else
     */
    public static CardSelector parse(String text) {
        return SelectorParser.parse(text);
    }

    /** Reads it from a pod's annotations. */
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
            default -> parse(text);
        };
    }

    private static CardSelector list(CardFact fact, Test test, String text) {
        List<FactValue> values = SelectorParser.list(fact, text);
        return values.isEmpty() ? CardSelector.ANY : new CardSelector(List.of(new CardCondition(fact, test, values)));
    }
}
