package io.gpushare.simulated.apiserver;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** The faults that a test injects into the API server. None is active at the start, and all can change at any time. */
public final class ApiFaults {
    private final List<FaultRule> rules = new CopyOnWriteArrayList<>();
    private final FaultRule refusals = rule(_ -> true);
    private final FaultRule losses = rule(_ -> true);
    private volatile Duration latency = Duration.ZERO;
    private final AtomicInteger delayed = new AtomicInteger();
    private volatile boolean cutOff;
    private final Set<String> usersCutOff = ConcurrentHashMap.newKeySet();
    private volatile boolean watchesMuted;

    /** Adds a rule for the matching requests. If several rules match, the first with a fault applies. */
    public FaultRule rule(Predicate<ApiRequest> requests) {
        FaultRule rule = new FaultRule(requests, 1);
        rules.add(rule);
        return rule;
    }

    /** Delays every request by this time before it is executed. */
    public void latency(Duration delay) {
        latency = delay;
    }

    /** Responds to this share of requests with 503 without executing them. */
    public void refuse(double share) {
        refusals.share(
                share, Outcome.refused(503, "ServiceUnavailable", "the server is currently unable to handle it"));
    }

    /** Executes this share of requests and closes the connection without a response. */
    public void loseAnswers(double share) {
        losses.share(share, Outcome.Plain.RESPONSE_LOST);
    }

    /**
     * While true, the server closes the connection of every new request. {@link SimulatedApiServer#cutWatches} closes
     * watches.
     */
    public void cutOff(boolean cut) {
        cutOff = cut;
    }

    /**
     * While true, the same for the requests of one user. {@link SimulatedApiServer#cutOff} closes the user's watches
     * too.
     */
    void cutOff(String user, boolean cut) {
        if (cut) {
            usersCutOff.add(user);
        } else {
            usersCutOff.remove(user);
        }
    }

    /** While true, no watch sends anything, and the current watches miss these changes permanently. */
    public void muteWatches(boolean mute) {
        watchesMuted = mute;
    }

    /** The number of requests that are being delayed. */
    public int delayed() {
        return delayed.get();
    }

    void countDelayed(int change) {
        delayed.addAndGet(change);
    }

    Duration latency() {
        return latency;
    }

    boolean isCutOff(String user) {
        return cutOff || usersCutOff.contains(user);
    }

    boolean watchesMuted() {
        return watchesMuted;
    }

    /** The first fault of a matching rule, with that rule. */
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
