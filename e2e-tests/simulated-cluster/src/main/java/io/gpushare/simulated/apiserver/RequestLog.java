package io.gpushare.simulated.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The requests that the server received, oldest first. Nothing is kept until {@link #start}. */
public final class RequestLog {
    private final List<ApiRequest> requests = new ArrayList<>();
    private boolean on;

    RequestLog() {}

    /** Keeps every request from now on, until the server is closed. */
    public synchronized void start() {
        on = true;
    }

    synchronized void add(ApiRequest request) {
        if (on) {
            requests.add(request);
        }
    }

    public synchronized List<ApiRequest> all() {
        return List.copyOf(requests);
    }

    public List<ApiRequest> matching(Predicate<ApiRequest> filter) {
        return all().stream().filter(filter).toList();
    }
}
