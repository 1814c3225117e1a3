package io.gpushare.simulated.claims;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The selectors that the chart's device classes have, and deploy/docs/use/claims.md shows: the driver, and attributes
 * that equal a text, joined by {@code &&}. Any other expression of CEL selects nothing.
 */
final class DeviceSelector {
    private static final Pattern DRIVER = Pattern.compile("device\\.driver == ['\"]([^'\"]*)['\"]");
    private static final Pattern ATTRIBUTE = Pattern.compile("device\\.attributes\\[['\"]([^'\"]*)['\"]]\\.\\??"
            + "([A-Za-z]+)(?:\\.orValue\\(['\"]{2}\\))? == ['\"]([^'\"]*)['\"]");

    private DeviceSelector() {}

    /** @param selectors those of a class or request; each must select the device */
    static boolean select(JsonNode selectors, String driver, JsonNode device) {
        return selectors.valueStream().allMatch(each -> {
            String expression = each.path("cel").path("expression").asText().strip();
            for (String part : expression.split("&&", -1)) {
                if (!holds(part.strip(), driver, device)) {
                    return false;
                }
            }
            return true;
        });
    }

    private static boolean holds(String condition, String driver, JsonNode device) {
        Matcher named = DRIVER.matcher(condition);
        if (named.matches()) {
            return named.group(1).equals(driver);
        }
        Matcher attribute = ATTRIBUTE.matcher(condition);
        return attribute.matches()
                && attribute.group(1).equals(driver)
                && device.path("attributes")
                        .path(attribute.group(2))
                        .path("string")
                        .asText("")
                        .equals(attribute.group(3));
    }
}
