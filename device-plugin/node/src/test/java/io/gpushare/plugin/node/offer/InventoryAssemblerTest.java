package io.gpushare.plugin.node.offer;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.holdings.InUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InventoryAssemblerTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Inventory TWO = inventory(Memory.ofGib(15));

    private final List<Inventory> published = new ArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final InventoryAssembler assembler = new InventoryAssembler(
            MemoryUnit.GIB, published::add, refusals::incrementAndGet, this::smallest, _ -> InUse.NONE);

    @Test
    void cordonsAloneArePublishedWithTheFirstScan() {
        assembler.cordoned(Set.of(B));
        assertThat(published).isEmpty();

        assembler.scanned(TWO);
        assertThat(published).containsExactly(TWO.withCordoned(Set.of(B)));
    }

    @Test
    void everyReportIsPublishedWithTheLastReportOfTheOtherInput() {
        Inventory one = new Inventory(MemoryUnit.GIB, null, List.of(TWO.cards().getFirst()));
        assembler.scanned(TWO);
        assembler.cordoned(Set.of(A));
        assembler.scanned(one);
        assembler.cordoned(Set.of());

        assertThat(published).containsExactly(TWO, TWO.withCordoned(Set.of(A)), one.withCordoned(Set.of(A)), one);
    }

    @Test
    void aCardInUseIsNotCordonedAndSaysWhoHasIt() {
        new InventoryAssembler(
                        MemoryUnit.GIB,
                        published::add,
                        refusals::incrementAndGet,
                        this::smallest,
                        _ -> new InUse(Map.of("claim default/c", Set.of(A))))
                .scanned(TWO);
        assertThat(published).containsExactly(TWO.withInUse(Map.of(A, "claim default/c")));
        assertThat(published.getFirst().cards().getFirst().cordoned()).isFalse();
    }

    @Test
    void aDeviceListThatTheKubeletCannotReceiveIsRefusedAndNotPublished() {
        Inventory large = new Inventory(
                MemoryUnit.ofMib(1), null, inventory(Memory.ofGib(141)).cards());
        assembler.scanned(large);

        assertThat(published).isEmpty();
        assertThat(refusals).hasValue(1);
    }

    private Optional<MemoryUnit> smallest(Inventory inventory) {
        return inventory.unit().equals(MemoryUnit.GIB) ? Optional.empty() : Optional.of(MemoryUnit.GIB);
    }

    private static Inventory inventory(Memory memory) {
        return new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, memory), Card.of("GPU-b", 1, memory)));
    }
}
