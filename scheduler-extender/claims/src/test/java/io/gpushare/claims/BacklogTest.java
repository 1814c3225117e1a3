package io.gpushare.claims;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.claims.Backlog.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BacklogTest {
    private static final long MILLI = Duration.ofMillis(1).toNanos();

    private final AtomicLong now = new AtomicLong();
    private final Backlog backlog = new Backlog(now::get);

    /** The items that are due, each of which takes a millisecond. */
    private List<Item> due() {
        List<Item> due = new ArrayList<>();
        while (true) {
            List<Item> next = backlog.next().stream().toList();
            if (next.isEmpty()) {
                return due;
            }
            due.addAll(next);
            now.addAndGet(MILLI);
        }
    }

    private static Item item(String name) {
        return new Item.Shown(name);
    }

    private void add(String namespace, int count) {
        IntStream.range(0, count).forEach(i -> backlog.add(namespace, item(namespace + i)));
    }

    @Test
    void eachNamespaceHasItsTurnAndRestsNineTimesAsLong() {
        add("many", 100);
        add("few", 2);
        assertThat(due())
                .containsExactly(
                        item("many0"),
                        item("many1"),
                        item("many2"),
                        item("many3"),
                        item("many4"),
                        item("few0"),
                        item("few1"));
        // It ended its turn 2 ms ago.
        assertThat(backlog.rest()).contains(Duration.ofMillis(43));
        assertThat(backlog.behind()).isZero();
        add("late", 1);
        assertThat(due()).containsExactly(item("late0"));

        now.addAndGet(100 * MILLI);
        assertThat(backlog.behind()).isEqualTo(Duration.ofMillis(58));
        assertThat(due()).hasSize(5).startsWith(item("many5"));
        assertThat(backlog.behind()).isZero();
    }

    @Test
    void aTurnHasAnEndWhereTimeStandsStill() {
        add("many", 100);
        add("few", 1);
        List<Item> first = IntStream.range(0, 33)
                .mapToObj(_ -> backlog.next().orElseThrow())
                .toList();
        assertThat(first).endsWith(item("few0"));
    }

    @Test
    void whatIsAddedTwiceIsThereOnce() {
        add("a", 3);
        add("a", 3);
        assertThat(due()).hasSize(3);
        assertThat(backlog.rest()).isEmpty();
        assertThat(backlog.next()).isEmpty();
    }
}
