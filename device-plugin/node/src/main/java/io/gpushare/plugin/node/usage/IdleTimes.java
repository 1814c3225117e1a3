package io.gpushare.plugin.node.usage;

import io.gpushare.plugin.node.usage.NodeUsage.ContainerOnCard;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * When each container last computed on each of its cards, as far as the driver reports it.
 *
 * @param active by container and card, the last report in which it computed; the first report of a container that has
 *     not
 */
public record IdleTimes(Map<ContainerOnCard, Instant> active) {
    /** Before the first report. */
    public static final IdleTimes NONE = new IdleTimes(Map.of());

    public IdleTimes {
        active = Map.copyOf(active);
    }

    /** The times after one more report. Containers without a share, or of unknown utilisation, are forgotten. */
    public IdleTimes with(List<ContainerShare> shares, NodeUsage usage, Instant now) {
        Map<ContainerOnCard, Instant> next = new HashMap<>();
        for (ContainerShare share : shares) {
            OptionalInt percent =
                    usage.of(share).map(NodeUsage.Measured::percent).orElse(OptionalInt.empty());
            if (percent.isPresent()) {
                next.put(share.key(), percent.getAsInt() > 0 ? now : active.getOrDefault(share.key(), now));
            }
        }
        return new IdleTimes(next);
    }

    /** For how long the container has not computed on the card; empty if that is unknown. */
    public Optional<Duration> of(ContainerShare share, Instant now) {
        return Optional.ofNullable(active.get(share.key())).map(since -> Duration.between(since, now));
    }
}
