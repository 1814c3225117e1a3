package io.gpushare.extender.server;

import java.time.Duration;

/**
 * How long a caller may take for each step of an exchange.
 *
 * @param head from the connection to its first request line and headers
 * @param body from there to the end of the body
 * @param answer from the answer's head until its end is on the way
 * @param next from there to the next request's headers, the answer taken; kube-scheduler keeps an unused connection for 90 s
 */
public record Deadlines(Duration head, Duration body, Duration answer, Duration next) {
    /** Many times what kube-scheduler takes. */
    public static final Deadlines DEFAULT = new Deadlines(
            Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(150));
}
