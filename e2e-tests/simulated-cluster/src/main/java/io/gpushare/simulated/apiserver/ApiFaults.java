package io.gpushare.simulated.apiserver;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** The faults that a test injects into the API server. None is active at the start; all may change while it runs. */
public final class ApiFaults {
    private final List<FaultRule> rules = new CopyOnWriteArrayList<>();
    private final FaultRule refusals = rule(_ -> true);
    private final FaultRule losses = rule(_ -> true);
    private volatile Duration latency = Duration.ZERO;
    private final AtomicInteger delayed = new AtomicInteger();
    private volatile boolean cutOff;
    private volatile boolean watchesMuted;

    /** A rule for the requests that match; where several rules match, the first with a fault decides. */
    public FaultRule rule(Predicate<ApiRequest> requests) {
        FaultRule rule = new FaultRule(requests, 1);
        rules.add(rule);
        return rule;
    }

    /** Delays every request by this time before it is executed. */
    public void latency(Duration delay) {
        latency = delay;
    }

    /** Answers this share of requests with 503 without executing them. */
    public void refuse(double share) {
        refusals.share(
                share, Outcome.refused(503, "ServiceUnavailable", "the server is currently unable to handle it"));
    }

    /** Executes this share of requests and closes the connection without a response. */
    public void loseAnswers(double share) {
        losses.share(share, Outcome.Plain.RESPONSE_LOST);
    }

    /** While true every new request finds its connection closed; {@link SimulatedApiServer#cutWatches} ends old ones. */
    public void cutOff(boolean cut) {
        cutOff = cut;
    }

    /** While true no watch sends anything. What happens meanwhile is missing from these watches for good. */
    public void muteWatches(boolean mute) {
        watchesMuted = mute;
    }

    /** How many requests are being delayed now. */
    public int delayed() {
        return delayed.get();
    }

    void countDelayed(int change) {
        delayed.addAndGet(change);
    }

    Duration latency() {
        return latency;
    }

    boolean cutOff() {
        return cutOff;
    }

    boolean watchesMuted() {
        return watchesMuted;
    }

    /** The first fault that a rule has for the request, with that rule. */
    Decision decide(ApiRequest request) {
        for (FaultRule rule : rules) {
            Outcome outcome = rule.matches(request) ? rule.draw() : Outcome.Plain.SERVED;
            if (outcome != Outcome.Plain.SERVED) {
                return new Decision(outcome, rule);
            }
        }
        return new Decision(Outcome.Plain.SERVED, refusals);
    }

    record Decision(Outcome outcome, FaultRule rule) {}

    static double probability(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("a share must be between 0 and 1, not " + share);
        }
        return share;
    }
}
