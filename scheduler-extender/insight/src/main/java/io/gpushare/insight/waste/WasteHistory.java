package io.gpushare.insight.waste;

import io.gpushare.insight.waste.WasteReport.Sample;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Samples of the last twelve hours, five minutes apart, and the latest one. Not thread-safe. */
public final class WasteHistory {
    private static final Duration PERIOD = Duration.ofMinutes(5);
    private static final int MOST = 144;

    private final Deque<Sample> samples = new ArrayDeque<>();

    /** Adds a sample, which replaces the last one if that is not yet five minutes after the one before. */
    public void add(Sample sample) {
        if (samples.size() > 1) {
            Sample last = samples.removeLast();
            if (!last.at().isBefore(samples.getLast().at().plus(PERIOD))) {
                samples.addLast(last);
            }
        }
        samples.addLast(sample);
        while (samples.size() > MOST) {
            samples.removeFirst();
        }
    }

    /** The samples, the oldest first. */
    public List<Sample> samples() {
        return List.copyOf(samples);
    }
}
