package io.gpushare.simulated.scheduler;

import java.net.URI;
import java.time.Duration;
import java.util.Set;

/**
 * The extender's entry of a scheduler configuration.
 *
 * @param urlPrefix where its verbs are, without a slash at the end
 * @param weight of its scores
 * @param managed the resources whose pods it is asked about
 * @param timeout of one exchange (kube-scheduler: 5 s where nothing is configured)
 */
public record ExtenderConfig(URI urlPrefix, int weight, Set<String> managed, Duration timeout) {
    public ExtenderConfig {
        managed = Set.copyOf(managed);
    }
}
