package io.gpushare.extender.server;

import java.io.IOException;
import java.time.Duration;

/** What kube-scheduler calls. */
public interface VerbServer {
    /** Starts to serve. */
    @FunctionalInterface
    interface Factory {
        /** Starts to serve; throws if the address can't be used. */
        VerbServer start(ExtenderServer.Settings settings, ExtenderServer.Parts parts) throws IOException;
    }

    /** The port that it listens on. */
    int port();

    /** The port of the view for callers with a token; there is one. */
    int viewPort();

    /** Accepts no more, lets requests in flight end for at most that long, then closes. */
    void stop(Duration grace) throws IOException;
}
