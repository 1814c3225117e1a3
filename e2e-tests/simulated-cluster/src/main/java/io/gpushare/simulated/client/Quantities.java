package io.gpushare.simulated.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and writes Kubernetes quantities: {@code 500m}, {@code 2}, {@code 3Gi}, {@code 4k}, {@code 2e3}. */
public final class Quantities {
    // Bounded, or a few letters would become an amount with a billion digits.
    private static final Pattern FORM = Pattern.compile(
            "([+-]?(?:[0-9]{1,40}\\.?[0-9]{0,40}|\\.[0-9]{1,40}))" + "([KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]{1,2})");
    /** Of a thousand each, from a billionth. */
    private static final List<String> DECIMAL = List.of("n", "u", "m", "", "k", "M", "G", "T", "P", "E");

    private static final int ONE = DECIMAL.indexOf("");
    private static final List<String> BINARY = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
    private static final BigDecimal KI = BigDecimal.valueOf(1024);
    private static final int NANO = 9;

    private Quantities() {}

    /** The amounts of a resource list by resource name, in its order. */
    public static Map<String, BigDecimal> of(JsonNode resourceList) {
        Map<String, BigDecimal> amounts = new LinkedHashMap<>();
        resourceList
                .properties()
                .forEach(entry ->
                        amounts.put(entry.getKey(), parse(entry.getValue().asText())));
        return amounts;
    }

    /**
     * The amount, exact to a billionth.
     *
     * @throws IllegalArgumentException for a text that is no quantity
     */
    public static BigDecimal parse(String text) {
        Matcher form = form(text);
        BigDecimal number = new BigDecimal(form.group(1));
        String suffix = form.group(2);
        BigDecimal amount = BINARY.indexOf(suffix) > 0
                ? number.multiply(KI.pow(BINARY.indexOf(suffix)))
                : number.scaleByPowerOfTen(
                        DECIMAL.contains(suffix)
                                ? 3 * (DECIMAL.indexOf(suffix) - ONE)
                                : Integer.parseInt(suffix.substring(1)));
        return amount.setScale(Math.min(NANO, Math.max(0, amount.scale())), RoundingMode.UP);
    }

    private static Matcher form(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("not a quantity: " + text);
        }
        return form;
    }

    /**
     * The form in which the API server stores and returns a quantity: no fraction, and the largest suffix of the same
     * kind (resource.Quantity.CanonicalizeBytes), so {@code 2000} is {@code 2k} and {@code 1.5Gi} is {@code 1536Mi}.
     *
     * @throws IllegalArgumentException for a text that is no quantity
     */
    public static String canonical(String text) {
        String suffix = form(text).group(2);
        BigDecimal amount = parse(text);
        if (amount.signum() == 0) {
            return "0";
        }
        if (BINARY.indexOf(suffix) > 0 && amount.abs().compareTo(KI) >= 0) {
            BigDecimal whole = amount.setScale(0, RoundingMode.UP);
            int power = 0;
            while (power + 1 < BINARY.size() && whole.remainder(KI).signum() == 0) {
                whole = whole.divide(KI);
                power++;
            }
            return whole.toPlainString() + BINARY.get(power);
        }
        int power = Math.min(
                DECIMAL.size() - 1 - ONE,
                Math.floorDiv(-amount.stripTrailingZeros().scale(), 3));
        String mantissa =
                amount.scaleByPowerOfTen(-3 * power).toBigIntegerExact().toString();
        boolean exponent = suffix.length() > 1 && BINARY.indexOf(suffix) < 0;
        return mantissa + (!exponent ? DECIMAL.get(power + ONE) : power == 0 ? "" : "e" + 3 * power);
    }
}
