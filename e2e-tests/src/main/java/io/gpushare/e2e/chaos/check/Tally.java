package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.Invariants.Violation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** What is counted during a run, by many threads; a thing's name is its group, a colon, and what it is. */
public final class Tally {
    private static final int SHOWN = 900;

    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
    private final List<Violation> violations = new CopyOnWriteArrayList<>();
    private final RunClock watch;

    public Tally(RunClock watch) {
        this.watch = watch;
    }

    public void count(String thing) {
        add(thing, 1);
    }

    void add(String thing, int more) {
        counts.computeIfAbsent(thing, _ -> new LongAdder()).add(more);
    }

    public long of(String thing) {
        LongAdder count = counts.get(thing);
        return count == null ? 0 : count.sum();
    }

    /** The sum of a group. */
    long all(String group) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(group + ": "))
                .mapToLong(entry -> entry.getValue().sum())
                .sum();
    }

    /** Reports it once. */
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
