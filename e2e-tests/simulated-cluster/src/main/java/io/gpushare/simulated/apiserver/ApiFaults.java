package io.gpushare.simulated.apiserver;

import java.time.Duration;
import java.util.Random;

/**
 * What goes wrong at the API server, as a test orders it. Shares are probabilities from 0 to 1 for each request, drawn
 * from a seeded source; all start at "nothing goes wrong" and may be changed while it runs.
 */
public final class ApiFaults {
    /** What happens to one request. */
    enum Fate {
        ANSWERED,
        REFUSED,
        ANSWER_LOST,
        CUT_OFF
    }

    private final Random random;
    private volatile Duration latency = Duration.ZERO;
    private volatile double refused;
    private volatile double lost;
    private volatile boolean cutOff;

    ApiFaults(long seed) {
        random = new Random(seed);
    }

    /** Every answer waits this long before its work is done. */
    public void latency(Duration delay) {
        latency = delay;
    }

    /** This share of requests is answered 503 without being done. */
    public void refuse(double share) {
        refused = probability(share);
    }

    /** This share of requests is done, and the connection then closed without an answer. */
    public void loseAnswers(double share) {
        lost = probability(share);
    }

    /** While true every new request finds its connection closed; {@link SimulatedApiServer#cutWatches} ends old ones. */
    public void cutOff(boolean cut) {
        cutOff = cut;
    }

    Duration latency() {
        return latency;
    }

    Fate next() {
        if (cutOff) {
            return Fate.CUT_OFF;
        }
        if (refused > 0 && draw() < refused) {
            return Fate.REFUSED;
        }
        return lost > 0 && draw() < lost ? Fate.ANSWER_LOST : Fate.ANSWERED;
    }

    private synchronized double draw() {
        return random.nextDouble();
    }

    private static double probability(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("a share must be between 0 and 1, not " + share);
        }
        return share;
    }
}
