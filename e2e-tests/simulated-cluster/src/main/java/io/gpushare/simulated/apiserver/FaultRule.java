package io.gpushare.simulated.apiserver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.Predicate;

/**
 * The outcomes that a test sets for some requests: first those of {@link #next}, one per request, then the one of
 * {@link #share} with its probability, otherwise the one of {@link #always}.
 */
public final class FaultRule {
    private final Predicate<ApiRequest> requests;
    private final Random random;
    private final Queue<Outcome> next = new ArrayDeque<>();
    private final List<Runnable> held = new ArrayList<>();
    private Outcome always = Outcome.Plain.SERVED;
    private Outcome shared = Outcome.Plain.SERVED;
    private double share;
    private int seen;

    FaultRule(Predicate<ApiRequest> requests, long seed) {
        this.requests = requests;
        this.random = new Random(seed);
    }

    /** Sets the outcomes of the next requests. A client may repeat a request by itself when a connection breaks. */
    public synchronized void next(Outcome... outcomes) {
        next.addAll(List.of(outcomes));
    }

    public synchronized void always(Outcome outcome) {
        always = outcome;
    }

    /** Sets the outcome of a share of requests: a probability from 0 to 1, drawn from a seeded source. */
    public synchronized void share(double probability, Outcome outcome) {
        share = ApiFaults.probability(probability);
        shared = outcome;
    }

    /** The number of requests until now. */
    public synchronized int seen() {
        return seen;
    }

    /** The number of requests that wait for {@link #release}. */
    public synchronized int held() {
        return held.size();
    }

    /** Serves all waiting requests. */
    public void release() {
        List<Runnable> waiting;
        synchronized (this) {
            waiting = List.copyOf(held);
            held.clear();
        }
        waiting.forEach(Runnable::run);
    }

    synchronized void hold(Runnable request) {
        held.add(request);
    }

    boolean matches(ApiRequest request) {
        return requests.test(request);
    }

    synchronized Outcome draw() {
        seen++;
        Outcome ordered = next.poll();
        if (ordered != null) {
            return ordered;
        }
        return share > 0 && random.nextDouble() < share ? shared : always;
    }
}
