package io.gpushare.simulated.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The requests that the server received, oldest first. It records nothing until {@link #start}. */
public final class RequestLog {
    private final List<ApiRequest> requests = new ArrayList<>();
    private boolean on;

    RequestLog() {}

    /** Starts to record every request, until the server is closed. */
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
