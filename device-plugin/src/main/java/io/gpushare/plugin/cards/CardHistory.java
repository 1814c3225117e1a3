package io.gpushare.plugin.cards;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.DriverFacts;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every card since the plugin started, with its last known facts. A lost card stays in the inventory as unhealthy, so that
 * its pods keep their devices.
 */
final class CardHistory {
    private final MemoryUnit unit;
    private final CardHealth health;
    private final Map<CardId, Card> known = new TreeMap<>();
    private Inventory.@Nullable Driver driver;

    CardHistory(MemoryUnit unit, CardHealth health) {
        this.unit = unit;
        this.health = health;
    }

    /** The inventory after NVML returned these readings. */
    Inventory with(DriverFacts facts, List<CardReading> readings, Instant now) {
        driver = new Inventory.Driver(facts.driverVersion(), facts.cudaMajor() + "." + facts.cudaMinor());
        Map<CardId, String> lost = new TreeMap<>();
        known.keySet().forEach(id -> lost.put(id, "the driver no longer lists it"));
        Set<CardId> present = new HashSet<>();
        for (CardReading reading : readings) {
            switch (reading) {
                case CardReading.Present(int _, CardFacts card) -> {
                    CardId id = new CardId(card.uuid());
                    present.add(id);
                    known.put(id, card(card, health.ofPresent(id, now)));
                }
                case CardReading.Lost(int _, Optional<String> uuid, String reason) ->
                    uuid.map(CardId::new).ifPresent(id -> lost.replace(id, reason));
            }
        }
        lost.keySet().removeAll(present);
        lost.forEach((id, reason) -> lose(id, reason, now));
        return inventory(known.values());
    }

    /** The inventory when NVML fails: no card is known to be healthy. */
    Inventory withoutDriver(String reason, Instant now) {
        driver = null;
        Set.copyOf(known.keySet()).forEach(id -> lose(id, reason, now));
        return inventory(known.values());
    }

    private void lose(CardId id, String reason, Instant now) {
        known.computeIfPresent(id, (_, card) -> card.withHealth(health.ofLost(id, reason, now)));
    }

    private Inventory inventory(Collection<Card> cards) {
        return new Inventory(unit, driver, List.copyOf(cards));
    }

    private static Card card(CardFacts facts, Health health) {
        return new Card(
                new CardId(facts.uuid()),
                facts.index(),
                facts.minor().isPresent() ? facts.minor().getAsInt() : null,
                facts.model(),
                new Memory(facts.memoryTotalBytes()),
                facts.compute()
                        .map(compute -> new ComputeCapability(compute.major(), compute.minor()))
                        .orElse(null),
                facts.ecc().orElse(null),
                facts.numaNode().isPresent() ? facts.numaNode().getAsInt() : null,
                facts.mig().orElse(null),
                health);
    }
}
