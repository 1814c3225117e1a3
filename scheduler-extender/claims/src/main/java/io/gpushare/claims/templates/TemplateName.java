package io.gpushare.claims.templates;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The name of a ResourceClaimTemplate, which is its content:
 *
 * <pre>
 * gpushare.1x-3072mi          one request, of 3072 MiB of one card
 * gpushare.2x-3000mi-30c      one request, of 3000 MiB and 30 % of the cores of two cards
 * gpushare.2x                 one request, of two whole cards
 * gpushare-one.1x-3072mi.1x-1024mi     two requests, whose memory is on one card
 * gpushare.1x.t-a100zcv100-t  one whole card, selected by an annotation (see {@link SelectorText})
 * </pre>
 *
 * The requests are {@code r0}, {@code r1} and so on. {@code deploy/chart/templates/requests.yaml} writes these names.
 *
 * @param oneCard whether all that take a part of a card take it of the same one
 * @param selectors the annotations that select cards, by key
 */
public record TemplateName(boolean oneCard, List<Request> requests, Map<String, String> selectors) {
    /** The most requests that a template has; the API allows a claim 32 devices. */
    static final int MOST_REQUESTS = 16;

    private static final int MOST_CARDS = 32;
    private static final int LONGEST = 253;
    /** What each of them begins with. */
    static final String ANY = "gpushare";

    private static final String ONE = "gpushare-one";
    private static final Pattern REQUEST =
            Pattern.compile("([1-9][0-9]?)x(?:-([1-9][0-9]{0,7})mi(?:-([1-9][0-9]?|100)c)?)?");

    /**
     * What one container takes.
     *
     * @param mib of each card; 0 for whole cards
     * @param cores in percent of each card; 0 for none
     */
    public record Request(int cards, int mib, int cores) {
        private static Optional<Request> parse(String text) {
            Matcher matcher = REQUEST.matcher(text);
            return matcher.matches()
                    ? Optional.of(new Request(
                            Integer.parseInt(matcher.group(1)), number(matcher.group(2)), number(matcher.group(3))))
                    : Optional.empty();
        }

        private static int number(String group) {
            return group == null ? 0 : Integer.parseInt(group);
        }

        @Override
        public String toString() {
            return cards + "x" + (mib == 0 ? "" : "-" + mib + "mi") + (cores == 0 ? "" : "-" + cores + "c");
        }
    }

    public TemplateName {
        requests = List.copyOf(requests);
        selectors = Map.copyOf(selectors);
    }

    /** Decodes the name; empty for any other text than {@link #toString} writes. */
    public static Optional<TemplateName> parse(String text) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        List<String> parts = List.of(text.split("[.]", -1));
        List<Request> requests = new ArrayList<>();
        Map<String, String> selectors = new TreeMap<>();
        for (String part : parts.subList(1, parts.size())) {
            Request.parse(part).ifPresentOrElse(requests::add, () -> SelectorText.decodeInto(part, selectors));
        }
        return Optional.of(new TemplateName(parts.getFirst().equals(ONE), requests, selectors))
                .filter(TemplateName::possible)
                .filter(name -> name.toString().equals(text));
    }

    private boolean possible() {
        return !requests.isEmpty()
                && requests.size() <= MOST_REQUESTS
                && requests.stream().mapToInt(Request::cards).sum() <= MOST_CARDS
                && (!oneCard || ofOneCard().size() > 1)
                && (!oneCard || ofOneCard().stream().allMatch(request -> request.cards() == 1));
    }

    /** The requests that must be on one card, if any must. */
    private List<Request> ofOneCard() {
        return requests.stream().filter(request -> request.mib() > 0).toList();
    }

    @Override
    public String toString() {
        String amounts = requests.stream().map(Request::toString).collect(Collectors.joining("."));
        return (oneCard ? ONE : ANY) + "." + amounts + SelectorText.encode(selectors);
    }
}
