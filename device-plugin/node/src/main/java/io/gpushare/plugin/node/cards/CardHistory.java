package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.NoCards.Cause;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.DriverFacts;
import io.gpushare.nvml.MigFacts;
import io.gpushare.nvml.XidEvent;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Every card since the plugin started, with its last known facts. A lost card stays in the inventory as unhealthy, so
 * that its pods keep their devices. A MIG instance that was removed leaves the inventory: its UUID never returns.
 */
final class CardHistory {
    private static final String UNKNOWN_MODEL = "unknown";

    private final MemoryUnit unit;
    private final CardHealth health;
    private final boolean needsDeviceFiles;
    private final Map<String, Memory> memoryByModel;
    private final MigCards mig;
    private final Map<CardId, Card> known = new TreeMap<>();
    private Set<CardId> present = Set.of();
    private Inventory.@Nullable Driver driver;
    private String contradiction = "";

    /**
     * @param needsDeviceFiles whether a card without a device file can't be given to containers
     * @param memoryByModel the memory of cards of which the driver does not report it
     * @param mig makes cards of MIG instances
     */
    CardHistory(
            MemoryUnit unit,
            CardHealth health,
            boolean needsDeviceFiles,
            Map<String, Memory> memoryByModel,
            MigCards mig) {
        this.mig = mig;
        this.memoryByModel = Map.copyOf(memoryByModel);
        this.unit = unit;
        this.health = health;
        this.needsDeviceFiles = needsDeviceFiles;
    }

    /** The inventory after NVML returned these readings. */
    Inventory with(DriverFacts facts, List<CardReading> readings, Instant now) {
        driver = new Inventory.Driver(
                facts.version().orElse(Inventory.Driver.UNKNOWN), facts.cuda().orElse(Inventory.Driver.UNKNOWN));
        Map<CardId, String> lost = new TreeMap<>();
        known.keySet().forEach(id -> lost.put(id, "the driver no longer lists it"));
        Set<CardId> responding = new HashSet<>();
        for (CardReading reading : readings) {
            switch (reading) {
                case CardReading.Present(int _, CardFacts card) -> {
                    Set<CardId> ids = know(card, now);
                    known.keySet().removeIf(id -> physical(id).uuid().equals(card.uuid()) && !ids.contains(id));
                    responding.addAll(ids);
                }
                case CardReading.Lost(int _, Optional<String> uuid, String reason) ->
                    uuid.map(CardId::new)
                            .ifPresent(card ->
                                    lost.replaceAll((id, old) -> physical(id).equals(card) ? reason : old));
            }
        }
        lost.keySet().removeAll(responding);
        lost.forEach((id, reason) -> lose(id, reason, now));
        present = responding;
        return inventory(known.values()).withNoCards(noCards(readings));
    }

    /** Keeps that card, or its MIG instances in place of it, and returns the cards that it is. */
    private Set<CardId> know(CardFacts facts, Instant now) {
        CardId id = new CardId(facts.uuid());
        Card card = card(facts, health(facts, now), Optional.ofNullable(known.get(id)));
        // A driver that does not say whether a card is cut has not joined its parts.
        List<Card> parts = facts.mig().isPresent() ? mig.of(facts, card) : instances(id);
        List<Card> instances = parts.stream()
                .map(instance -> instance.withHealth(MigCards.pending(facts)
                        .or(() -> MigCards.withoutFiles(instance, needsDeviceFiles))
                        .orElseGet(() -> health.ofPresent(instance.id(), now))))
                .toList();
        List<Card> cards = instances.isEmpty() ? List.of(card) : instances;
        cards.forEach(each -> known.put(each.id(), closedIfSmall(each)));
        return cards.stream().map(Card::id).collect(Collectors.toSet());
    }

    /** The known MIG instances of that physical card. */
    private List<Card> instances(CardId card) {
        return known.values().stream()
                .filter(each -> each.id().instance() && each.physical().equals(card))
                .toList();
    }

    /** The physical card of that card; itself where it is not known. */
    private CardId physical(CardId id) {
        @Nullable Card card = known.get(id);
        return card == null ? id : card.physical();
    }

    /** The cards that responded in the last scan, by whether they are MIG instances. */
    Set<String> present(boolean instances) {
        return present.stream()
                .filter(id -> id.instance() == instances)
                .map(CardId::uuid)
                .collect(Collectors.toSet());
    }

    /** The cards that have that Xid error of a physical card. */
    Set<CardId> concerned(String physical, XidEvent event) {
        return MigCards.concerned(new CardId(physical), event, known.values());
    }

    /** The inventory when NVML fails: no card is known to be healthy. */
    Inventory withoutDriver(NvmlException failure, Instant now) {
        driver = null;
        Set.copyOf(known.keySet()).forEach(id -> lose(id, "the driver does not respond", now));
        return inventory(known.values()).withNoCards(new NoCards(cause(failure), String.valueOf(failure.getMessage())));
    }

    /** The inventory while that label pauses the node. */
    Inventory paused(String label, Instant now) {
        driver = null;
        Set.copyOf(known.keySet()).forEach(id -> lose(id, "the node is paused by its label " + label, now));
        return inventory(known.values()).withNoCards(new NoCards(Cause.PAUSED, label));
    }

    private static Cause cause(NvmlException failure) {
        return switch (failure) {
            case NvmlException.DriverMissing missing ->
                missing.library() ? Cause.LIBRARY_MISSING : Cause.DRIVER_NOT_LOADED;
            case NvmlException.Failed failed
            when failed.code() == NvmlCode.LIB_RM_VERSION_MISMATCH -> Cause.DRIVER_VERSION_MISMATCH;
            case NvmlException.Failed failed when failed.code() == NvmlCode.NO_PERMISSION -> Cause.NO_ACCESS;
            case NvmlException.Failed _, NvmlException.CardLost _, NvmlException.Unsupported _ -> Cause.DRIVER_ERROR;
        };
    }

    private Health health(CardFacts card, Instant now) {
        Optional<Health> pending = MigCards.pending(card);
        if (pending.isPresent()) {
            return pending.get();
        }
        @Nullable Cause unsupported = unsupported(card);
        return unsupported == null
                ? health.ofPresent(new CardId(card.uuid()), now)
                : new Health.Unhealthy(
                        unsupported == Cause.MIG_ENABLED
                                ? mig.missing(card)
                                : "it has no device file, which the strategy device-specs needs");
    }

    /** Why no container can get that card; null if it can. */
    private @Nullable Cause unsupported(CardFacts card) {
        if (card.mig().map(MigFacts::enabled).orElse(false) && !mig.cut(card)) {
            return Cause.MIG_ENABLED;
        }
        return needsDeviceFiles && card.minor().isEmpty() ? Cause.NO_DEVICE_FILE : null;
    }

    /** Why the node offers no card, if it is not for a reason that each card has. */
    private @Nullable NoCards noCards(List<CardReading> readings) {
        if (readings.isEmpty()) {
            return new NoCards(Cause.NO_CARD_FOUND);
        }
        Set<Cause> causes = EnumSet.noneOf(Cause.class);
        for (CardReading reading : readings) {
            switch (reading) {
                case CardReading.Present(int _, CardFacts card) -> {
                    @Nullable Cause cause = unsupported(card);
                    if (cause == null) {
                        return null;
                    }
                    causes.add(cause);
                }
                case CardReading.Lost(int _, Optional<String> _, String reason) -> {
                    if (known.isEmpty()) {
                        return new NoCards(Cause.DRIVER_ERROR, reason);
                    }
                }
            }
        }
        return causes.isEmpty() ? null : new NoCards(causes.iterator().next());
    }

    private void lose(CardId id, String reason, Instant now) {
        known.computeIfPresent(id, (_, card) -> card.withHealth(health.ofLost(id, reason, now)));
    }

    private Inventory inventory(Collection<Card> cards) {
        return new Inventory(unit, driver, MigCards.numbered(cards));
    }

    /** A fact that the driver does not report now is the last known one. */
    private Card card(CardFacts facts, Health health, Optional<Card> before) {
        String model = facts.model().or(() -> before.map(Card::model)).orElse(UNKNOWN_MODEL);
        Memory memory = facts.memoryTotalBytes().isPresent()
                ? new Memory(facts.memoryTotalBytes().getAsLong())
                : before.map(Card::memory)
                        .filter(known -> known.bytes() > 0)
                        .orElseGet(() -> memoryByModel.getOrDefault(model, new Memory(0)));
        if (facts.memoryTotalBytes().isPresent()) {
            contradict(model, memory);
        }
        Memory reserved = facts.memoryTotalBytes().isPresent()
                ? MigCards.reserved(facts.memoryReservedBytes())
                : before.map(known -> known.details().reserved()).orElse(new Memory(0));
        Card card = new Card(
                        new CardId(facts.uuid()),
                        facts.index(),
                        facts.minor().isPresent() ? facts.minor().getAsInt() : null,
                        model,
                        memory,
                        new Card.Details(
                                        facts.compute()
                                                .map(compute -> new ComputeCapability(compute.major(), compute.minor()))
                                                .orElse(null),
                                        facts.ecc().orElse(null),
                                        facts.numaNode().isPresent()
                                                ? facts.numaNode().getAsInt()
                                                : null,
                                        facts.mig().map(MigFacts::enabled).orElse(null))
                                .withReserved(reserved)
                                .withPciAddress(facts.pciAddress().orElse(null)))
                .withHealth(health);
        return card.hasMemory()
                ? card
                : card.withIsolation(CardIsolation.closed(
                        "the driver does not report how much memory it has, and the device plugin's option"
                                + " --card-memory=\"" + model + "=<amount>\" is missing"));
    }

    private Card closedIfSmall(Card card) {
        return !card.hasMemory() || unit.unitsIn(card.memory()) > 0
                ? card
                : card.withIsolation(
                        CardIsolation.closed("it has " + card.memory().text() + ", less than one unit of "
                                + unit.amount(1) + ": --memory-unit="
                                + MemoryUnit.ofMib(card.memory().mib())
                                + " or a smaller unit fits"));
    }

    private void contradict(String model, Memory reported) {
        Memory given = memoryByModel.get(model);
        if (given != null && given.mib() != reported.mib()) {
            contradiction = "--card-memory names " + given + " for " + model + ", but the driver reports " + reported
                    + ": leave the option out for this model";
        }
    }

    /** What the driver reports of the memory of cards against the options, as a sentence; empty if it agrees. */
    String contradiction() {
        return contradiction;
    }
}
