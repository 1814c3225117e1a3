package io.gpushare.model.text;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An amount as the Kubernetes API writes it, such as {@code 1500m} or {@code 64Gi} (apimachinery: resource.Quantity).
 */
public final class Quantity {
    // The canonical form of 1000 is "1k", also for resources that allow whole numbers only.
    private static final Pattern FORM =
            Pattern.compile("\\+?([0-9]{1,40}(?:\\.[0-9]{0,18})?)([eE][+-]?[0-9]{1,2}|[numkMGTPE]|[KMGTPE]i)?");
    private static final int DIGITS = 18;
    private static final Map<String, BigDecimal> SUFFIXES = Map.ofEntries(
            Map.entry("", BigDecimal.ONE),
            Map.entry("n", BigDecimal.ONE.movePointLeft(9)),
            Map.entry("u", BigDecimal.ONE.movePointLeft(6)),
            Map.entry("m", BigDecimal.ONE.movePointLeft(3)),
            Map.entry("k", BigDecimal.TEN.pow(3)),
            Map.entry("M", BigDecimal.TEN.pow(6)),
            Map.entry("G", BigDecimal.TEN.pow(9)),
            Map.entry("T", BigDecimal.TEN.pow(12)),
            Map.entry("P", BigDecimal.TEN.pow(15)),
            Map.entry("E", BigDecimal.TEN.pow(18)),
            Map.entry("Ki", BigDecimal.TWO.pow(10)),
            Map.entry("Mi", BigDecimal.TWO.pow(20)),
            Map.entry("Gi", BigDecimal.TWO.pow(30)),
            Map.entry("Ti", BigDecimal.TWO.pow(40)),
            Map.entry("Pi", BigDecimal.TWO.pow(50)),
            Map.entry("Ei", BigDecimal.TWO.pow(60)));

    private Quantity() {}

    /** The exact number; empty for text that is not a quantity, and for a negative quantity. */
    public static Optional<BigDecimal> parse(String text) {
        // Most quantities are digits and a suffix, and every request of kube-scheduler has some: this path needs no
        // regex.
        int digits = digits(text);
        @Nullable BigDecimal factor = SUFFIXES.get(text.substring(digits));
        return factor == null || digits == 0 || digits > DIGITS
                ? parseByPattern(text)
                : Optional.of(
                        BigDecimal.valueOf(Long.parseLong(text, 0, digits, 10)).multiply(factor));
    }

    private static int digits(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        return digits;
    }

    private static Optional<BigDecimal> parseByPattern(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String number = matcher.group(1);
        String suffix = Objects.requireNonNullElse(matcher.group(2), "");
        @Nullable BigDecimal factor = SUFFIXES.get(suffix);
        return Optional.of(factor == null ? new BigDecimal(number + suffix) : new BigDecimal(number).multiply(factor));
    }
}
