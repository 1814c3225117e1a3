package io.gpushare.extender.preemption;

import io.gpushare.extender.pod.PodPriority;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * How much harm the eviction of pods does, in kube-scheduler's order: the highest priority among them, their number, the sum
 * of their priorities, and how long the oldest has existed. Pods that terminate anyway do not count.
 *
 * @param highest {@link Integer#MIN_VALUE} if no pod is evicted
 * @param oldest when the oldest was created; of otherwise equal sets the younger one is evicted
 */
public record Harm(int highest, int pods, long sum, Instant oldest) implements Comparable<Harm> {
    private static final Comparator<Harm> ORDER = Comparator.comparingInt(Harm::highest)
            .thenComparingInt(Harm::pods)
            .thenComparingLong(Harm::sum)
            .thenComparing(Harm::oldest, Comparator.reverseOrder());

    public Harm {
        Objects.requireNonNull(oldest);
    }

    public static Harm of(Collection<PodPriority> priorities) {
        List<PodPriority> evicted =
                priorities.stream().filter(priority -> !priority.terminating()).toList();
        return new Harm(
                evicted.stream().mapToInt(PodPriority::value).max().orElse(Integer.MIN_VALUE),
                evicted.size(),
                evicted.stream().mapToLong(PodPriority::value).sum(),
                evicted.stream()
                        .map(PodPriority::created)
                        .min(Comparator.naturalOrder())
                        .orElse(Instant.MAX));
    }

    @Override
    public int compareTo(Harm other) {
        return ORDER.compare(this, other);
    }
}
