package io.gpushare.plugin.node.part;

import java.time.Duration;

/**
 * A delay that doubles with each failure.
 *
 * @param next the delay after the next failure
 */
public record Backoff(Duration next, Duration longest) {
    /** The delays after one more failure. */
    public Backoff failed() {
        Duration twice = next.multipliedBy(2);
        return new Backoff(twice.compareTo(longest) > 0 ? longest : twice, longest);
    }
}
