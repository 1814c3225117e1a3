package io.gpushare.extender.search;

import io.gpushare.model.pod.PodPriority;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;

/**
 * How much harm is done if pods leave, in kube-scheduler's order: the highest priority among them, their number, the
 * sum of their weights, the memory that they hold, and how long the oldest has existed.
 *
 * @param highest {@link Integer#MIN_VALUE} if no pod is harmed
 * @param sum of the priorities, or of the memory units if pods are moved
 * @param units the memory units that they hold, if they are evicted: of otherwise equal sets the smaller one leaves
 * @param oldest when the oldest was created; of otherwise equal sets the younger one leaves
 */
public record Harm(int highest, int pods, long sum, long units, Instant oldest) implements Comparable<Harm> {
    /** No pod leaves, or only pods that terminate anyway. */
    public static final Harm NONE = new Harm(Integer.MIN_VALUE, 0, 0, 0, Instant.MAX);

    private static final Comparator<Harm> ORDER = Comparator.comparingInt(Harm::highest)
            .thenComparingInt(Harm::pods)
            .thenComparingLong(Harm::sum)
            .thenComparingLong(Harm::units)
            .thenComparing(Harm::oldest, Comparator.reverseOrder());

    /** The eviction of a pod of that priority that holds so many memory units. */
    public static Harm ofEviction(PodPriority pod, long units) {
        return pod.terminating() ? NONE : new Harm(pod.value(), 1, pod.value(), units, pod.created());
    }

    /** The move of a pod with so many memory units. Pods are equal: none is lost. */
    public static Harm ofMove(int units) {
        return new Harm(0, 1, units, 0, Instant.MAX);
    }

    public static Harm sum(Collection<Harm> all) {
        return all.stream().reduce(NONE, Harm::plus);
    }

    public Harm plus(Harm other) {
        return new Harm(
                Math.max(highest, other.highest),
                pods + other.pods,
                sum + other.sum,
                units + other.units,
                oldest.isBefore(other.oldest) ? oldest : other.oldest);
    }

    @Override
    public int compareTo(Harm other) {
        return ORDER.compare(this, other);
    }
}
