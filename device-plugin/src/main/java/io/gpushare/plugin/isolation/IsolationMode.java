package io.gpushare.plugin.isolation;

import java.util.Arrays;
import java.util.Locale;

/** The isolation that the operator asks for. */
public enum IsolationMode {
    NONE,
    DRIVER,
    MPS,
    /** The driver's limits if every card of the node can have them, otherwise none; never MPS, which couples pods. */
    AUTO;

    /**
     * Parses the value of the option.
     *
     * @throws IllegalArgumentException with a sentence for the user if there is no such mode
     */
    public static IsolationMode parse(String text) {
        return Arrays.stream(values())
                .filter(each -> each.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown isolation '" + text + "': use none, driver, mps or auto"));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
