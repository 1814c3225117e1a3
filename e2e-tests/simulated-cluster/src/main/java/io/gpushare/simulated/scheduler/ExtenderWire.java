package io.gpushare.simulated.scheduler;

import java.io.IOException;
import java.time.Duration;

/** Carries kube-scheduler's calls to the extender. */
public interface ExtenderWire extends AutoCloseable {
    /** A response. */
    @SuppressWarnings("ArrayRecordComponent") // it is carried, and never compared
    record Response(int code, byte[] body) {}

    /** Calls a verb; throws if there is no response within that time. */
    Response call(String verb, byte[] body, Duration timeout) throws IOException, InterruptedException;

    @Override
    void close();
}
