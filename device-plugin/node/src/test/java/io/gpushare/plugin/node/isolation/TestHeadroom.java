package io.gpushare.plugin.node.isolation;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation.CoreCap;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.plugin.node.isolation.mps.MpsIsolation;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Kinds of cards and what is kept of them.
 *
 * @param reserved what the driver reserves, in MiB; the simulated cards of that kind reserve as much
 */
public record TestHeadroom(String kind, long mib, long reserved) {
    public static final List<TestHeadroom> KINDS = List.of(
            new TestHeadroom("T4", 15360, 447),
            new TestHeadroom("A10", 23028, 517),
            new TestHeadroom("L4", 23034, 471),
            new TestHeadroom("A100-40", 40960, 620),
            new TestHeadroom("A100-80", 81920, 763),
            new TestHeadroom("H100-80", 81559, 480),
            new TestHeadroom("H200-141", 143771, 616));

    /** The units of such a card. */
    public int units(IsolationMode mode, String reservedMemory, MemoryUnit unit) {
        Card card = new Card(
                new CardId("GPU-a"),
                0,
                0,
                kind,
                Memory.ofMib(mib),
                Card.Details.UNKNOWN.withReserved(Memory.ofMib(reserved)));
        Inventory node = new Inventory(unit, null, List.of(card));
        IsolationPolicy policy = new IsolationPolicy(mode, false, ReservedMemory.parse(reservedMemory), CoreCap.MEMORY);
        IsolationProvider provider = mode == IsolationMode.MPS ? mps() : new IsolationProvider() {};
        Inventory isolated = node.withIsolation(policy.decide(node, provider));
        return isolated.capacityOf(isolated.cards().getFirst()).units();
    }

    private static IsolationProvider mps() {
        MpsIsolation.Sources none = new MpsIsolation.Sources(
                () -> {
                    throw new AssertionError("nothing is measured");
                },
                _ -> Optional.empty(),
                _ -> OptionalLong.empty());
        return new MpsIsolation(
                new MpsDirectory(Path.of("/nowhere")),
                Duration.ofSeconds(10),
                none,
                (_, _) -> {},
                InstantSource.system());
    }
}
