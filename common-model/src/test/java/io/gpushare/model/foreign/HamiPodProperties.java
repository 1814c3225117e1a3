package io.gpushare.model.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.hami.HamiAnnotations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Properties of what is read from HAMi's annotations, as this project or anyone else may have written them. */
class HamiPodProperties {
    private static final int CARDS = 4;
    private static final String KEY = "hami.io/vgpu-devices-allocated";

    @Property
    void whatIsWrittenIsReadAgain(@ForAll Random random, @ForAll @IntRange(min = 1, max = 2048) int mib) {
        Inventory node = node(MemoryUnit.ofMib(mib));
        Allocation allocation = allocation(random, node);
        List<String> containers = new ArrayList<>();
        allocation.containers().forEach(container -> {
            if (random.nextBoolean()) {
                containers.add("before-" + container.name());
            }
            containers.add(container.name());
        });
        Map<String, String> written = HamiAnnotations.of(allocation, node, "n1", containers, Instant.EPOCH);

        assertThat(pod(written, allocation).chosen(node)).isEqualTo(new Decoded.Valid<>(allocation));
    }

    @Property
    void anEditedAnnotationNeverLeavesAPodWithoutItsCards(@ForAll Random random) {
        Inventory node = node(MemoryUnit.GIB);
        Allocation allocation = allocation(random, node);
        Map<String, String> written =
                new HashMap<>(HamiAnnotations.of(allocation, node, "n1", List.of(), Instant.EPOCH));
        written.computeIfPresent(KEY, (_, value) -> edited(value, random));
        ForeignHolding holding = pod(written, allocation).holding(node).orElseThrow();

        for (ContainerAllocation container : allocation.containers()) {
            ContainerAllocation held =
                    holding.allocation().container(container.name()).orElseThrow();
            assertThat(held.total().slots())
                    .isEqualTo(holding.certain() ? container.total().slots() : CARDS);
            assertThat(held.total().wholeCards() * 15 + held.total().units())
                    .isGreaterThanOrEqualTo(container.total().units());
        }
    }

    private static String edited(String value, Random random) {
        StringBuilder edited = new StringBuilder(value);
        for (int i = random.nextInt(4); i >= 0 && !edited.isEmpty(); i--) {
            int at = random.nextInt(edited.length());
            switch (random.nextInt(3)) {
                case 0 -> edited.deleteCharAt(at);
                case 1 -> edited.insert(at, "019,:;-aG \n".charAt(random.nextInt(11)));
                default -> edited.setLength(at);
            }
        }
        return edited.toString();
    }

    private static ForeignPod pod(Map<String, String> annotations, Allocation allocation) {
        return ForeignPod.of(
                annotations,
                "n1",
                List.of(),
                allocation.containers().stream()
                        .map(container -> new ContainerDemand(container.name(), container.role(), container.total()))
                        .toList());
    }

    private static Inventory node(MemoryUnit unit) {
        List<Card> cards = new ArrayList<>();
        for (int i = 0; i < CARDS; i++) {
            cards.add(Card.of("GPU-" + i, i, Memory.ofMib(15360)));
        }
        return new Inventory(unit, null, cards).withBeside(Share.cores(100).plus(Share.slots(10)));
    }

    private static Allocation allocation(Random random, Inventory node) {
        List<ContainerAllocation> containers = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            boolean whole = random.nextInt(4) == 0;
            int most = node.capacityOf(node.cards().getFirst()).units() - 1;
            Share each = whole
                    ? Share.WHOLE_CARD.plus(Share.slots(1))
                    : Share.memory(1 + random.nextInt(most))
                            .plus(Share.cores(random.nextInt(100)))
                            .plus(Share.slots(1));
            Map<CardId, Share> shares = new LinkedHashMap<>();
            for (int card = random.nextInt(CARDS); card < CARDS; card++) {
                shares.put(new CardId("GPU-" + card), each);
            }
            containers.add(new ContainerAllocation("c" + i, ContainerRole.APP, shares));
        }
        return new Allocation(node.unit(), containers);
    }
}
