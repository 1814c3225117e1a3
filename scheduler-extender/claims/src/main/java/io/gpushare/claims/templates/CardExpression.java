package io.gpushare.claims.templates;

import io.gpushare.model.card.MigInstance;
import io.gpushare.model.selector.CardCondition;
import io.gpushare.model.selector.FactValue;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A condition on cards as the CEL of a device selector. It holds for the attributes of exactly the cards for which the
 * condition holds, and for none whose fact is unknown.
 */
final class CardExpression {
    private static final String ATTRIBUTES = "device.attributes['gpushare.io']";
    private static final long MIB = 1L << 20;
    // A semantic version has three numbers.
    private static final int NUMBERS = 3;

    private CardExpression() {}

    /** @throws IllegalArgumentException with a sentence for the user if the API can't compare so */
    static String of(CardCondition condition) {
        String attribute = attribute(condition);
        List<String> each = condition.values().stream()
                .map(value -> comparison(ATTRIBUTES + "." + attribute, condition.test(), value))
                .toList();
        String any = each.stream().collect(Collectors.joining(" || ", "(", ")"));
        boolean not = condition.test() == CardCondition.Test.NOT_IN || condition.test() == CardCondition.Test.NOT_LIKE;
        return "has(" + ATTRIBUTES + "." + attribute + ") && " + (not ? "!" : "") + any;
    }

    private static String attribute(CardCondition condition) {
        return switch (condition.fact()) {
            case MODEL -> "productName";
            case MEMORY -> "memoryMiB";
            case COMPUTE -> "cudaComputeCapability";
            case ECC -> "ecc";
            case MIG -> "type";
            case PROFILE -> "profile";
            case PARENT -> "parentUUID";
            case CUDA -> "cudaDriverVersion";
            case DRIVER -> "driverVersion";
            case NUMA -> "numaNode";
            case INDEX -> "index";
            case UUID -> "uuid";
            case ISOLATION -> "isolation";
        };
    }

    private static String comparison(String actual, CardCondition.Test test, FactValue value) {
        return switch (value) {
            case FactValue.Model model ->
                switch (test) {
                    case LIKE, NOT_LIKE ->
                        "('nvidia-' + " + actual + ".lowerAscii()).contains(" + small(model.name()) + ")";
                    default -> actual + ".lowerAscii().matches('" + inWords(model.words()) + "')";
                };
            case FactValue.Amount amount ->
                actual + " * " + MIB + " " + operator(test) + " "
                        + amount.memory().bytes();
            case FactValue.Whole whole -> actual + " " + operator(test) + " " + whole;
            case FactValue.Version version ->
                actual + ".compareTo(semver('" + semantic(version) + "')) " + operator(test) + " 0";
            case FactValue.Flag flag ->
                actual.endsWith(".type") ? "(" + actual + " == 'mig') == " + flag : actual + " == " + flag;
            case FactValue.Profile profile ->
                actual + ".lowerAscii().replace('+', '.') == " + small(MigInstance.written(profile.name()));
            case FactValue.Identity identity ->
                actual + ".lowerAscii() == " + small(identity.card().uuid());
            case FactValue.Enforced enforced -> actual + " == " + small(enforced.toString());
        };
    }

    private static String operator(CardCondition.Test test) {
        return switch (test) {
            case IN, NOT_IN, LIKE, NOT_LIKE -> "==";
            case LESS -> "<";
            case AT_MOST -> "<=";
            case MORE -> ">";
            case AT_LEAST -> ">=";
        };
    }

    /** A text of the selector's language, which has no quotes, in small letters. */
    private static String small(String text) {
        return "'" + text.toLowerCase(Locale.ROOT) + "'";
    }

    /** As {@link FactValue.Model} compares: these letters from the beginning of a word to the end of one. */
    private static String inWords(String words) {
        String letters = words.replace(" ", "")
                .chars()
                .mapToObj(letter -> Character.isLetterOrDigit(letter)
                        ? Character.toString(letter)
                        : "[" + Character.toString(letter) + "]")
                .collect(Collectors.joining("[^a-z0-9.+]*"));
        return "(^|[^a-z0-9.+])" + letters + "($|[^a-z0-9.+])";
    }

    private static String semantic(FactValue.Version version) {
        if (version.parts().size() > NUMBERS) {
            throw new IllegalArgumentException(
                    "version " + version + " has more than three numbers: claims compare three, leave the others out");
        }
        return version + ".0".repeat(NUMBERS - version.parts().size());
    }
}
