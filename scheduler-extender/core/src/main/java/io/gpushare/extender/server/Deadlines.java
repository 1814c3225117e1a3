package io.gpushare.extender.server;

import java.time.Duration;

/**
 * How long a caller may take for each step of an exchange.
 *
 * @param head from the connection to the first request's line and headers
 * @param body from there to the end of the body
 * @param response from the response's head to its end
 * @param next from there to the next request's headers; kube-scheduler keeps an unused connection for 90 s
 */
public record Deadlines(Duration head, Duration body, Duration response, Duration next) {
    /** Many times as long as kube-scheduler takes. */
    public static final Deadlines DEFAULT = new Deadlines(
            Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(150));
}
