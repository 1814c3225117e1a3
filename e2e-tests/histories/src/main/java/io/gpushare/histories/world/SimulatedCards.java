package io.gpushare.histories.world;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.cards.CardSource;
import io.gpushare.plugin.node.cards.CardXid;
import io.gpushare.plugin.node.isolation.driver.MemoryLimits;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.CardUtilization;
import io.gpushare.time.Clocks;
import io.gpushare.time.PeriodicTask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The cards of one node, as a driver reports them. */
final class SimulatedCards {
    private static final Duration SCAN = Duration.ofSeconds(5);

    /** Of each process: less than any share. */
    private static final long USED = 1 << 20;

    private final Inventory inventory;
    private final NodeProcesses processes;
    private final Set<CardId> lost = new HashSet<>();

    SimulatedCards(Inventory inventory, NodeProcesses processes) {
        this.inventory = inventory;
        this.processes = processes;
    }

    List<Card> cards() {
        return inventory.cards();
    }

    /** That card does not respond from now on, or does again. */
    void lose(CardId card, boolean is) {
        if (is) {
            lost.add(card);
        } else {
            lost.remove(card);
        }
    }

    private Inventory now() {
        return new Inventory(
                inventory.unit(),
                inventory.driver(),
                inventory.cards().stream()
                        .map(card -> lost.contains(card.id())
                                ? card.withHealth(new Health.Unhealthy("it does not respond"))
                                : card)
                        .toList());
    }

    private Map<CardId, CardUtilization> usage() {
        Map<CardId, CardUtilization> usage = new HashMap<>();
        for (Card card : inventory.cards()) {
            if (!lost.contains(card.id())) {
                List<CardProcess> all = processes.on(card.id().uuid()).stream()
                        .map(pid -> new CardProcess(pid, OptionalLong.of(USED), OptionalInt.empty()))
                        .toList();
                usage.put(
                        card.id(),
                        new CardUtilization(
                                OptionalLong.of(USED * all.size()),
                                OptionalInt.empty(),
                                OptionalInt.empty(),
                                OptionalInt.empty(),
                                Optional.empty(),
                                Optional.of(all)));
            }
        }
        return usage;
    }

    /** For a plugin of the node. */
    CardSource source(Clocks clocks) {
        return new CardSource() {
            @Override
            public Scan scan(Listener listener) {
                return new Scanning(listener, clocks);
            }

            @Override
            public Optional<List<Long>> processes(CardId card) {
                return lost.contains(card) ? Optional.empty() : Optional.of(processes.on(card.uuid()));
            }

            @Override
            public MemoryLimits memoryLimits() {
                return new NoLimits();
            }
        };
    }

    /** One scan. */
    private final class Scanning implements CardSource.Scan {
        private final CardSource.Listener listener;
        private final Clocks clocks;
        private final PeriodicTask task = PeriodicTask.rounds("cards", SCAN, this::round);
        private @Nullable Inventory last;

        Scanning(CardSource.Listener listener, Clocks clocks) {
            this.listener = listener;
            this.clocks = clocks;
            task.start();
        }

        private void round() {
            Inventory present = now();
            if (!present.equals(last)) {
                last = present;
                listener.inventory(present);
            }
            listener.usage(new CardUsages(clocks.steady().instant(), usage()));
        }

        @Override
        public Map<CardXid, Long> counts() {
            return Map.of();
        }

        @Override
        public void close() {
            task.close();
        }
    }

    /** A driver without memory limits. */
    private static final class NoLimits implements MemoryLimits {
        @Override
        public Optional<Memory> read(CardId card, Path cgroup) {
            return Optional.empty();
        }

        @Override
        public void set(CardId card, Path cgroup, Memory limit) throws LimitException {
            throw new LimitException("this driver has no limits", true);
        }

        @Override
        public void remove(CardId card, Path cgroup) {
            // There is none.
        }
    }
}
