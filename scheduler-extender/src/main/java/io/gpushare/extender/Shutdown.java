package io.gpushare.extender;

import io.gpushare.extender.cluster.Leadership;
import io.gpushare.extender.server.ExtenderServer;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of the program: stop answering, finish what is in flight, hand over, exit with 0. */
final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
    // A bind's calls end within this.
    private static final Duration GRACE = Duration.ofSeconds(20);

    private Shutdown() {}

    static void end(Leadership leadership, ExtenderServer server) {
        LOG.info("asked to end: finishing what is in flight");
        leadership.resign();
        int code = 0;
        try {
            server.stop(GRACE);
            LOG.info("ended");
        } catch (IOException e) {
            LOG.warn("ended with requests in flight: {}", e.getMessage());
            code = 1;
        }
        leadership.end();
        // A JVM that ends by a signal answers 128 + its number whatever its hooks do; the end that was asked for is 0.
        // The informers end with the process: closing them first would only log that they were interrupted.
        Runtime.getRuntime().halt(code);
    }
}
