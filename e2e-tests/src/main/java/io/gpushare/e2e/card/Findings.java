package io.gpushare.e2e.card;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** What one part found, line by line; also what it found before it failed. */
final class Findings {
    /**
     * One line.
     *
     * @param kind {@code check}, {@code figure} or {@code note}
     * @param holds whether the check holds; true for other kinds
     */
    record Line(String kind, String what, String seen, boolean holds) {}

    /** A step of a part. */
    interface Step {
        void run() throws Exception;
    }

    private final List<Line> lines = new CopyOnWriteArrayList<>();

    /** The time since then, as a text. */
    static String seconds(long startNanos) {
        return String.format(Locale.ROOT, "%.2f s", (System.nanoTime() - startNanos) / 1e9);
    }

    /** Records what is expected, whether it holds, and what was seen. */
    void check(String what, boolean holds, Object seen) {
        lines.add(new Line("check", what, String.valueOf(seen), holds));
    }

    void same(String what, Object expected, Object seen) {
        check(what, expected.equals(seen), expected.equals(seen) ? seen : seen + ", expected " + expected);
    }

    void figure(String what, Object value) {
        lines.add(new Line("figure", what, String.valueOf(value), true));
    }

    void note(String text) {
        lines.add(new Line("note", text, "", true));
    }

    /** Runs one step of a part; an exception is a check that does not hold, and the next step follows. */
    void step(String what, Step step) throws InterruptedException {
        try {
            step.run();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception | AssertionError e) {
            if (Thread.interrupted()) {
                throw new InterruptedException(what);
            }
            check(what, false, e);
        }
    }

    List<Line> lines() {
        return List.copyOf(lines);
    }

    boolean hold() {
        return lines.stream().allMatch(Line::holds);
    }
}
