package io.gpushare.model.request;

import io.gpushare.model.codec.Decoded;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.selector.SelectorParser;
import io.gpushare.model.selector.SelectorSyntaxException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decodes the annotations that select cards, those of all front ends. All of them must hold. */
public final class SelectorCodec {
    /** The most characters of such an annotation: a list of a node's cards, 99 UUIDs. */
    static final int LONGEST = 4096;

    // Decoded values take ten times the space of their text, and each is compared with each kind of card.
    private static final int MOST_VALUES = 256;

    private SelectorCodec() {}

    /**
     * Parses the value of {@value PodAnnotations#SELECT}.
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
        for (var parser : PodAnnotations.SELECTORS.entrySet()) {
            @Nullable String text = annotations.get(parser.getKey());
            if (text != null) {
                written = true;
                try {
                    all = all.and(parser.getValue().apply(text));
                } catch (SelectorSyntaxException e) {
                    return new Decoded.Malformed<>("annotation " + parser.getKey() + ": " + e.getMessage());
                }
                if (all.values() > MOST_VALUES) {
                    return new Decoded.Malformed<>("annotation " + parser.getKey()
                            + ": a pod selects cards by at most " + MOST_VALUES + " values, and it has "
                            + all.values());
                }
            }
        }
        return written ? new Decoded.Valid<>(all) : new Decoded.Absent<>();
    }
}
