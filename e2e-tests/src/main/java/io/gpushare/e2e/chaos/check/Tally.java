package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.Invariants.Violation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * The counters and violations of a run. A counter's name is {@code <group>: <event>}. It is safe for use by many
 * threads.
 */
public final class Tally {
    private static final int SHOWN = 900;

    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
    private final List<Violation> violations = new CopyOnWriteArrayList<>();
    private final RunClock watch;

    public Tally(RunClock watch) {
        this.watch = watch;
    }

    public void count(String counter) {
        add(counter, 1);
    }

    void add(String counter, int amount) {
        counts.computeIfAbsent(counter, _ -> new LongAdder()).add(amount);
    }

    public long of(String counter) {
        LongAdder count = counts.get(counter);
        return count == null ? 0 : count.sum();
    }

    /** The sum of the counters of a group. */
    long all(String group) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(group + ": "))
                .mapToLong(entry -> entry.getValue().sum())
                .sum();
    }

    /** Records and prints a violation, once for each rule and subject. */
    public void violation(Violation violation) {
        if (violations.stream().noneMatch(violation::sameAs)) {
            violations.add(violation);
            watch.say("VIOLATION " + shortened(violation.toString()));
        }
    }

    public void violation(String rule, String subject, String detail) {
        violation(new Violation(rule, subject, detail));
    }

    public List<Violation> violations() {
        return List.copyOf(violations);
    }

    public String table() {
        return counts.entrySet().stream()
                .map(entry -> "  %6d  %s".formatted(entry.getValue().sum(), entry.getKey()))
                .collect(Collectors.joining("\n"));
    }

    public static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }
}
