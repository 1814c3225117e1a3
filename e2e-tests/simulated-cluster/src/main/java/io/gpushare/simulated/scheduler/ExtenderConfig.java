package io.gpushare.simulated.scheduler;

import java.net.URI;
import java.time.Duration;
import java.util.Set;

/**
 * The extender's entry of a scheduler configuration.
 *
 * @param urlPrefix the URL of its verbs, without a slash at the end
 * @param weight the weight of its scores
 * @param managed the resources that the extender manages
 * @param ignored those of them that the scheduler does not compare with what nodes report
 * @param timeout the timeout of one call (kube-scheduler: 5 s by default)
 */
public record ExtenderConfig(URI urlPrefix, int weight, Set<String> managed, Set<String> ignored, Duration timeout) {
    public ExtenderConfig {
        managed = Set.copyOf(managed);
        ignored = Set.copyOf(ignored);
    }

    public ExtenderConfig(URI urlPrefix, int weight, Set<String> managed, Duration timeout) {
        this(urlPrefix, weight, managed, Set.of(), timeout);
    }
}
