package io.gpushare.plugin.allocate.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class WireSizeTest {
    private static final String UUID = "GPU-60805828-8ab0-6124-67c4-9baff56d08";
    private static final List<Card> EIGHT_H200 = cards(8, Memory.ofMib(143771));

    @Test
    void eightCardsOf141GiBFitInGiB() {
        assertThat(WireSize.smallestInsteadOf(MemoryUnit.GIB, EIGHT_H200)).isEmpty();
    }

    @Test
    void oneMiBDoesNotFitThereAndTheSmallestUnitThatDoesIsNamed() {
        MemoryUnit smallest =
                WireSize.smallestInsteadOf(MemoryUnit.ofMib(1), EIGHT_H200).orElseThrow();

        long mib = smallest.size().mib();
        assertThat(serialized(EIGHT_H200, smallest)).isLessThanOrEqualTo(4 << 20);
        assertThat(serialized(EIGHT_H200, MemoryUnit.ofMib(mib - 1))).isGreaterThan(4 << 20);
    }

    @Property(tries = 60)
    void theSizeIsExactlyThatOfTheMessage(
            @ForAll @Size(min = 1, max = 4) List<@IntRange(max = 40_000) Integer> memories,
            @ForAll @IntRange(min = 1, max = 2000) int unit) {
        List<Card> cards = IntStream.range(0, memories.size())
                .mapToObj(i -> Card.of(UUID + (10 + i), i, Memory.ofMib(memories.get(i))))
                .toList();

        assertThat(WireSize.ofMemoryList(cards, MemoryUnit.ofMib(unit)))
                .isEqualTo(serialized(cards, MemoryUnit.ofMib(unit)));
    }

    @Property(tries = 30)
    void theNamedUnitIsTheSmallestThatFits(
            @ForAll @IntRange(min = 1, max = 16) int count, @ForAll @IntRange(min = 60_000, max = 200_000) int memory) {
        List<Card> cards = cards(count, Memory.ofMib(memory));

        WireSize.smallestInsteadOf(MemoryUnit.ofMib(1), cards).ifPresent(smallest -> {
            assertThat(WireSize.ofMemoryList(cards, smallest)).isLessThanOrEqualTo(WireSize.KUBELET_LIMIT);
            assertThat(WireSize.ofMemoryList(
                            cards, MemoryUnit.ofMib(smallest.size().mib() - 1)))
                    .isGreaterThan(WireSize.KUBELET_LIMIT);
        });
    }

    private static List<Card> cards(int count, Memory memory) {
        return IntStream.range(0, count)
                .mapToObj(i -> Card.of(UUID + (10 + i), i, memory))
                .toList();
    }

    private static int serialized(List<Card> cards, MemoryUnit unit) {
        NodeSnapshot snapshot = NodeSnapshot.of(new Inventory(unit, null, cards));
        ListAndWatchResponse.Builder list = ListAndWatchResponse.newBuilder();
        DeviceLists.of(snapshot.allocations())
                .list(DeviceResource.MEMORY)
                .forEach(device ->
                        list.addDevices(Device.newBuilder().setID(device.id()).setHealth("Unhealthy")));
        return list.build().getSerializedSize();
    }
}
