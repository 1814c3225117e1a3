package io.gpushare.claims;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is to be shown to the ledger again, by namespace. Each namespace has its turn, and rests after it several times
 * as long as the turn took: so none takes more than a part of the time, or keeps another one waiting for more than a
 * turn.
 */
final class Backlog {
    private static final int MOST_OF_TURN = 32;
    private static final long LONGEST_TURN = Duration.ofMillis(5).toNanos();
    private static final int RESTS = 9;

    /** One thing to be worked off. What is added twice is there once. */
    sealed interface Item {
        /** What the ledger has with that uid. */
        record Shown(String uid) implements Item {}

        /**
         * Who holds a claim.
         *
         * @param key its namespace and name
         * @param changed whether it has changed itself, and not only who could hold it
         */
        record Held(String key, boolean changed) implements Item {}
    }

    /**
     * The items of a namespace.
     *
     * @param due when its next turn is
     */
    private record Waiting(Set<Item> items, long due) {}

    private final LongSupplier nanoTime;
    // In the order of their turns; each has items.
    private final Map<String, Waiting> namespaces = new LinkedHashMap<>();
    private String turn = "";
    private long began;
    private int worked;

    Backlog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void add(String namespace, Item item) {
        namespaces
                .computeIfAbsent(namespace, _ -> new Waiting(new LinkedHashSet<>(), nanoTime.getAsLong()))
                .items()
                .add(item);
    }

    /** The next item, which its caller works off before it asks again; empty if none is due. */
    Optional<Item> next() {
        long now = nanoTime.getAsLong();
        @Nullable Waiting waiting = namespaces.get(turn);
        if (waiting == null || worked == MOST_OF_TURN || now - began >= LONGEST_TURN) {
            if (waiting != null) {
                namespaces.remove(turn);
                namespaces.put(turn, new Waiting(waiting.items(), now + RESTS * (now - began)));
            }
            turn = namespaces.entrySet().stream()
                    .filter(each -> each.getValue().due() - now <= 0)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse("");
            waiting = namespaces.get(turn);
            began = now;
            worked = 0;
        }
        return waiting == null ? Optional.empty() : Optional.of(taken(waiting));
    }

    private Item taken(Waiting waiting) {
        worked++;
        Iterator<Item> items = waiting.items().iterator();
        Item item = items.next();
        items.remove();
        if (!items.hasNext()) {
            namespaces.remove(turn);
        }
        return item;
    }

    /** The time by which the namespace that waits longest for its turn is behind. */
    Duration behind() {
        return Duration.ofNanos(Math.max(0, -nextTurn().orElse(0)));
    }

    /** The time until a turn is due; empty if nothing waits. */
    Optional<Duration> rest() {
        return nextTurn().stream()
                .mapToObj(nanos -> Duration.ofNanos(Math.max(0, nanos)))
                .findFirst();
    }

    private OptionalLong nextTurn() {
        long now = nanoTime.getAsLong();
        return namespaces.values().stream().mapToLong(each -> each.due() - now).min();
    }
}
