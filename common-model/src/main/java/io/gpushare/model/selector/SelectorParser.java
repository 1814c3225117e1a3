package io.gpushare.model.selector;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.selector.CardCondition.Test;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses a selector: conditions separated by commas, all of which must hold.
 *
 * <pre>
 * condition = fact ("=" | "!=" | "&lt;" | "&lt;=" | "&gt;" | "&gt;=") value
 *           | fact ["not"] ("in" | "like") ( "(" value {"," value} ")" | value )
 * </pre>
 */
public final class SelectorParser {
    private static final int LONGEST = 4096;
    private static final int MOST_CONDITIONS = 32;
    private static final int MOST_VALUES = 128;

    private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,6})(Mi|Gi|Ti|M|G|T)B?");
    private static final Pattern VERSION = Pattern.compile("[0-9]{1,6}(\\.[0-9]{1,6}){0,3}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");
    private static final Pattern MODEL = Pattern.compile("[A-Za-z0-9._/+ -]{0,95}[A-Za-z0-9][A-Za-z0-9._/+ -]{0,95}");
    private static final Pattern UUID = Pattern.compile("(GPU|MIG)-[A-Za-z0-9-]{1,76}", Pattern.CASE_INSENSITIVE);
    private static final Pattern PROFILE = Pattern.compile("[0-9]{1,2}[A-Za-z0-9.+-]{1,30}");
    private static final Pattern OPERATOR = Pattern.compile("\\b(in|like)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern JUNCTION = Pattern.compile("\\b(or|and)\\b|[|&;]", Pattern.CASE_INSENSITIVE);
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private final String text;
    private int at;

    private SelectorParser(String text) {
        this.text = text;
    }

    /** Parses the selector. Blank text accepts any card. */
    public static CardSelector parse(String text) {
        if (text.length() > LONGEST) {
            throw new SelectorSyntaxException(text, LONGEST, "a selector has at most " + LONGEST + " characters");
        }
        SelectorParser parser = new SelectorParser(text);
        parser.blanks();
        if (parser.atEnd()) {
            return CardSelector.ANY;
        }
        List<CardCondition> conditions = new ArrayList<>();
        do {
            if (conditions.size() == MOST_CONDITIONS) {
                throw parser.error("a selector has at most " + MOST_CONDITIONS + " conditions");
            }
            conditions.add(parser.condition(conditions.isEmpty() ? null : conditions.getLast()));
        } while (parser.accept(","));
        if (!parser.atEnd()) {
            throw parser.error("write a comma before the next condition, or nothing more");
        }
        return new CardSelector(conditions);
    }

    /** Parses HAMi's lists: names of models or UUIDs, separated by commas. Empty entries are skipped. */
    public static List<FactValue> list(CardFact fact, String text) {
        if (text.length() > LONGEST) {
            throw new SelectorSyntaxException(text, LONGEST, "the list has at most " + LONGEST + " characters");
        }
        SelectorParser parser = new SelectorParser(text);
        List<FactValue> values = new ArrayList<>();
        do {
            parser.blanks();
            int begin = parser.at;
            String word = parser.until(",");
            if (!word.isEmpty()) {
                values.add(parser.typed(fact, word, begin));
            }
            parser.checkCount(values, begin);
        } while (parser.accept(","));
        return values;
    }

    /** @param before the condition before it; null for none */
    private CardCondition condition(@Nullable CardCondition before) {
        CardFact fact = fact(before);
        blanks();
        int begin = at;
        Test test = test(fact);
        if (!allowed(fact).contains(test)) {
            at = begin;
            throw error(operators(fact));
        }
        boolean several = !test.ordering() && accept("(");
        List<FactValue> values = new ArrayList<>();
        do {
            blanks();
            int where = at;
            String word = until(",()<>=!");
            if (JUNCTION.matcher(word).find()) {
                at = where;
                throw error(
                        "there is no 'or' and no 'and': write values of which one must hold in parentheses, such as "
                                + name(fact) + " in (…, …), and a comma before a further condition");
            }
            values.add(typed(fact, word, where));
            checkCount(values, where);
        } while (several && accept(","));
        if (several && !accept(")")) {
            throw error("write a comma or ')' after a value");
        }
        return new CardCondition(fact, test, values);
    }

    private CardFact fact(@Nullable CardCondition before) {
        blanks();
        int begin = at;
        String word = word();
        for (CardFact fact : CardFact.values()) {
            if (name(fact).equalsIgnoreCase(word)) {
                return fact;
            }
        }
        at = begin;
        if (before != null && !before.test().ordering() && alone()) {
            throw error("write several values in parentheses: " + name(before.fact()) + " in ("
                    + before.values().getLast() + ", …)");
        }
        throw error("write a fact of cards: "
                + Arrays.stream(CardFact.values()).map(SelectorParser::name).collect(Collectors.joining(", ")));
    }

    /** Whether what follows has no operator, as the second value of a list without parentheses. */
    private boolean alone() {
        int begin = at;
        String next = until(",<>=!");
        boolean ends = atEnd() || text.charAt(at) == ',';
        at = begin;
        return ends && !next.isEmpty() && !OPERATOR.matcher(next).find();
    }

    private Test test(CardFact fact) {
        if (accept("!=")) {
            return Test.NOT_IN;
        }
        if (accept("<=")) {
            return Test.AT_MOST;
        }
        if (accept(">=")) {
            return Test.AT_LEAST;
        }
        if (accept("<")) {
            return Test.LESS;
        }
        if (accept(">")) {
            return Test.MORE;
        }
        if (accept("==") || accept("=")) {
            return Test.IN;
        }
        int begin = at;
        String word = word().toLowerCase(Locale.ROOT);
        boolean not = word.equals("not");
        if (not) {
            blanks();
            word = word().toLowerCase(Locale.ROOT);
        }
        return switch (word) {
            case "in" -> not ? Test.NOT_IN : Test.IN;
            case "like" -> not ? Test.NOT_LIKE : Test.LIKE;
            default -> {
                at = begin;
                throw error(operators(fact));
            }
        };
    }

    private static List<Test> allowed(CardFact fact) {
        return switch (fact) {
            case MODEL -> List.of(Test.IN, Test.NOT_IN, Test.LIKE, Test.NOT_LIKE);
            case UUID, PARENT, PROFILE, ECC, MIG, ISOLATION -> List.of(Test.IN, Test.NOT_IN);
            case MEMORY, COMPUTE, CUDA, DRIVER, NUMA, INDEX ->
                List.of(Test.IN, Test.NOT_IN, Test.LESS, Test.AT_MOST, Test.MORE, Test.AT_LEAST);
        };
    }

    private static String operators(CardFact fact) {
        return "after '" + name(fact) + "' write "
                + switch (fact) {
                    case MODEL -> "=, !=, in, not in, like or not like";
                    case UUID, PARENT, PROFILE, ISOLATION -> "=, !=, in or not in";
                    case ECC, MIG -> "= or !=";
                    case MEMORY, COMPUTE, CUDA, DRIVER, NUMA, INDEX -> "=, !=, <, <=, >, >=, in or not in";
                };
    }

    private FactValue typed(CardFact fact, String word, int begin) {
        @Nullable
        FactValue value = switch (fact) {
            case MODEL -> MODEL.matcher(word).matches() ? new FactValue.Model(word) : null;
            case MEMORY -> amount(word);
            case COMPUTE, CUDA, DRIVER -> VERSION.matcher(word).matches() ? FactValue.Version.leading(word) : null;
            case ECC, MIG -> flag(word);
            case NUMA, INDEX -> NUMBER.matcher(word).matches() ? new FactValue.Whole(Integer.parseInt(word)) : null;
            case PROFILE -> PROFILE.matcher(word).matches() ? new FactValue.Profile(word) : null;
            case UUID, PARENT -> UUID.matcher(word).matches() ? new FactValue.Identity(new CardId(word)) : null;
            case ISOLATION -> Isolation.of(word).map(FactValue.Enforced::new).orElse(null);
        };
        if (value == null) {
            at = begin;
            throw error(
                    switch (fact) {
                        case MODEL ->
                            "write a card's model, such as A100 or Tesla T4: letters, digits, blanks and . _ / + -";
                        case MEMORY ->
                            "write an amount of memory: a whole number and Mi, Gi or Ti (of 1024), or M, G or T (of"
                                    + " 1000), such as 24Gi";
                        case COMPUTE -> "write a compute capability such as 8.0";
                        case CUDA -> "write a CUDA version such as 12.4";
                        case DRIVER -> "write a driver version such as 550.54";
                        case ECC -> "write true or false";
                        case MIG -> "write on or off";
                        case NUMA -> "write the number of a NUMA node, such as 0";
                        case INDEX -> "write the index of a card on its node as nvidia-smi shows it, such as 0";
                        case PROFILE -> "write the profile of a MIG instance, such as 3g.40gb";
                        case UUID -> "write a card's UUID as nvidia-smi -L shows it, GPU-… or MIG-…";
                        case PARENT -> "write the UUID of a card with MIG as nvidia-smi -L shows it, GPU-…";
                        case ISOLATION -> "write none, driver, mps or mig";
                    });
        }
        return value;
    }

    private static @Nullable FactValue amount(String word) {
        Matcher matcher = AMOUNT.matcher(word);
        return matcher.matches() ? FactValue.Amount.of(Long.parseLong(matcher.group(1)), matcher.group(2)) : null;
    }

    private static @Nullable FactValue flag(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "true", "on" -> new FactValue.Flag(true);
            case "false", "off" -> new FactValue.Flag(false);
            default -> null;
        };
    }

    private void checkCount(List<FactValue> values, int begin) {
        if (values.size() > MOST_VALUES) {
            at = begin;
            throw error("a list has at most " + MOST_VALUES + " values");
        }
    }

    private static String name(CardFact fact) {
        return fact.name().toLowerCase(Locale.ROOT);
    }

    private boolean atEnd() {
        return at >= text.length();
    }

    private void blanks() {
        while (!atEnd() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private boolean accept(String symbol) {
        blanks();
        boolean found = text.startsWith(symbol, at);
        at += found ? symbol.length() : 0;
        return found;
    }

    private String word() {
        int begin = at;
        while (!atEnd() && Character.isLetter(text.charAt(at))) {
            at++;
        }
        return text.substring(begin, at);
    }

    /** The text up to one of those characters or the end, with single blanks between its words. */
    private String until(String ends) {
        int begin = at;
        while (!atEnd() && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return BLANKS.matcher(text.substring(begin, at).strip()).replaceAll(" ");
    }

    private SelectorSyntaxException error(String complaint) {
        return new SelectorSyntaxException(text, at, complaint);
    }
}
