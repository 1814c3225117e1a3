package io.gpushare.extender.scheduling;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Where kube-scheduler gets the policy's choice. */
public enum DecideIn {
    /** In filter, except for pods whose stated preferences kube-scheduler scores: for these in prioritize. */
    AUTO,
    /** Filter returns only the chosen node. */
    FILTER,
    /** Filter returns every feasible node, and the chosen one has the best score. */
    PRIORITIZE;

    public static Optional<DecideIn> parse(String text) {
        return Arrays.stream(values())
                .filter(verb -> verb.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst();
    }
}
