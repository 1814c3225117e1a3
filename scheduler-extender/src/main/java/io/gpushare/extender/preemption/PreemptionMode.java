package io.gpushare.extender.preemption;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Who evicts pods for pods of higher priority that request cards. */
public enum PreemptionMode {
    /** kube-scheduler and, where its preemption does not help, this extender. */
    AUTO,
    /** kube-scheduler only. */
    SCHEDULER,
    /** Nobody. */
    OFF;

    public static Optional<PreemptionMode> parse(String text) {
        return Arrays.stream(values())
                .filter(mode -> mode.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst();
    }
}
