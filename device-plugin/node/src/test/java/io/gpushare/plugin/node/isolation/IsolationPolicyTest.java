package io.gpushare.plugin.node.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.CardIsolation.CoreCap;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is in force on each card, and what a container then needs. */
class IsolationPolicyTest {
    private static final CardId ABLE = new CardId("GPU-able");
    private static final CardId UNABLE = new CardId("GPU-unable");
    private static final String WHY = "MIG mode is enabled";
    private static final Inventory NODE = new Inventory(
            MemoryUnit.ofMib(512),
            null,
            List.of(Card.of("GPU-able", 0, Memory.ofGib(15)), Card.of("GPU-unable", 1, Memory.ofGib(15))));
    private static final IsolationProvider PROVIDER = new Provider();

    @Test
    void aStrictCardThatCantHaveItOffersNoMemory() {
        assertThat(decide(IsolationMode.DRIVER, false))
                .isEqualTo(Map.of(ABLE, CardIsolation.of(Isolation.DRIVER), UNABLE, CardIsolation.closed(WHY)));
    }

    @Test
    void withAFallbackItIsCounted() {
        assertThat(decide(IsolationMode.DRIVER, true))
                .isEqualTo(Map.of(ABLE, CardIsolation.of(Isolation.DRIVER), UNABLE, CardIsolation.counted(WHY)));
    }

    @Test
    void autoIsolatesAllCardsOrNone() {
        CardIsolation counted = CardIsolation.counted("card GPU-unable: " + WHY);
        assertThat(decide(IsolationMode.AUTO, false)).isEqualTo(Map.of(ABLE, counted, UNABLE, counted));
        Inventory able = new Inventory(NODE.unit(), null, List.of(NODE.cards().getFirst()));
        assertThat(new IsolationPolicy(IsolationMode.AUTO, false).decide(able, PROVIDER))
                .isEqualTo(Map.of(ABLE, CardIsolation.of(Isolation.DRIVER)));
    }

    /** The driver limits no memory with MIG. */
    @Test
    void autoCountsTheMemoryOfACardWithMigAndIsolatesTheOthers() {
        Card instance = new Card(UNABLE, 1, 1, "H100", Memory.ofGib(15), new Card.Details(null, null, null, true));
        Inventory node = new Inventory(NODE.unit(), null, List.of(NODE.cards().getFirst(), instance));
        assertThat(new IsolationPolicy(IsolationMode.AUTO, false).decide(node, PROVIDER))
                .isEqualTo(Map.of(ABLE, CardIsolation.of(Isolation.DRIVER), UNABLE, CardIsolation.counted(WHY)));
    }

    @Test
    void withoutIsolationNothingIsMissing() {
        assertThat(decide(IsolationMode.NONE, false))
                .isEqualTo(Map.of(ABLE, CardIsolation.NONE, UNABLE, CardIsolation.NONE));
    }

    @Test
    void memoryIsKeptOfCardsThatAreNotOnlyCounted() {
        assertThat(headroom(IsolationMode.NONE, false, "auto")).isEqualTo(Map.of(ABLE, 0L, UNABLE, 0L));
        // A closed card keeps its units: what is missing there may come back.
        assertThat(headroom(IsolationMode.DRIVER, false, "auto")).isEqualTo(Map.of(ABLE, 450L, UNABLE, 450L));
        assertThat(headroom(IsolationMode.MPS, false, "auto")).isEqualTo(Map.of(ABLE, 450L, UNABLE, 450L));
        assertThat(headroom(IsolationMode.MPS, true, "auto")).isEqualTo(Map.of(ABLE, 450L, UNABLE, 0L));
        assertThat(headroom(IsolationMode.AUTO, false, "auto")).isEqualTo(Map.of(ABLE, 0L, UNABLE, 0L));
        assertThat(headroom(IsolationMode.MPS, false, "none")).isEqualTo(Map.of(ABLE, 0L, UNABLE, 0L));
        assertThat(headroom(IsolationMode.NONE, false, "1000")).isEqualTo(Map.of(ABLE, 1000L, UNABLE, 1000L));
        assertThat(headroom(IsolationMode.MPS, true, "1000MiB")).isEqualTo(Map.of(ABLE, 1000L, UNABLE, 1000L));
    }

    @Test
    void aCardOfWhichLessThanAUnitIsLeftOffersNoMemoryAndSaysWhy() {
        CardIsolation isolation = Objects.requireNonNull(
                new IsolationPolicy(IsolationMode.MPS, true, ReservedMemory.parse("14849"), CoreCap.MEMORY)
                        .decide(NODE, PROVIDER)
                        .get(ABLE));
        assertThat(isolation.closed()).isTrue();
        assertThat(isolation.missing())
                .isEqualTo("it has 15 GiB, of which 14.5 GiB are kept (--reserved-memory), and the rest is less than"
                        + " one unit of 512 MiB: a smaller --memory-unit fits");
    }

    private static Map<CardId, Long> headroom(IsolationMode mode, boolean fallback, String reserved) {
        Inventory reserving = new Inventory(
                NODE.unit(),
                null,
                NODE.cards().stream()
                        .map(card -> new Card(
                                card.id(),
                                card.index(),
                                card.minor(),
                                card.model(),
                                card.memory(),
                                card.details().withReserved(Memory.ofMib(442))))
                        .toList());
        IsolationProvider standard = new IsolationProvider() {
            @Override
            public Optional<String> missing(Card card, Inventory inventory) {
                return PROVIDER.missing(card, inventory);
            }
        };
        Map<CardId, Long> kept = new HashMap<>();
        new IsolationPolicy(mode, fallback, ReservedMemory.parse(reserved), CoreCap.MEMORY)
                .decide(reserving, standard)
                .forEach((id, isolation) -> kept.put(id, isolation.headroom().mib()));
        return kept;
    }

    @Test
    void underMpsAContainerThatRequestsNoCoresHasAsMuchOfThemAsOfTheMemory() {
        Inventory node = NODE.withIsolation(decide(IsolationMode.MPS, false));

        assertThat(ContainerIsolation.of(container(Map.of(ABLE, Share.memory(15))), node, PROVIDER))
                .isEqualTo(new ContainerIsolation.Settings(
                        Map.of("CARDS", "1"),
                        List.of(),
                        Map.of(ABLE, new ContainerIsolation.Limit(Memory.ofMib(7680), Share.cores(50)))));
    }

    /** The cap is an option of MPS. */
    @Test
    void underHamiCoreAContainerThatRequestsNoCoresHasAllOfThem() {
        Inventory node = NODE.withIsolation(
                new IsolationPolicy(IsolationMode.HAMI_CORE, false, ReservedMemory.parse("none"), CoreCap.MEMORY)
                        .decide(NODE, PROVIDER));

        assertThat(ContainerIsolation.of(container(Map.of(ABLE, Share.memory(15))), node, PROVIDER))
                .isInstanceOfSatisfying(
                        ContainerIsolation.Settings.class,
                        settings -> assertThat(settings.limits())
                                .isEqualTo(Map.of(ABLE, new ContainerIsolation.Limit(Memory.ofMib(7680), Share.NONE))));
    }

    @Test
    void aContainerIsLimitedToItsUnitsOnEachCardWhereThatIsInForce() {
        Inventory node = NODE.withIsolation(decide(IsolationMode.DRIVER, true));

        assertThat(ContainerIsolation.of(
                        container(Map.of(ABLE, Share.memory(3), UNABLE, Share.memory(3))), node, PROVIDER))
                .isEqualTo(new ContainerIsolation.Settings(
                        Map.of("CARDS", "2"),
                        List.of(),
                        Map.of(ABLE, new ContainerIsolation.Limit(Memory.ofMib(1536), Share.NONE))));
        assertThat(ContainerIsolation.of(container(Map.of(UNABLE, Share.memory(3))), node, PROVIDER))
                .isEqualTo(ContainerIsolation.Settings.NONE);
    }

    @Test
    void theContainerOfAWholeCardIsNotLimitedAndMayHaveAClosedCard() {
        Inventory node = NODE.withIsolation(decide(IsolationMode.DRIVER, false));

        assertThat(ContainerIsolation.of(
                        container(Map.of(ABLE, Share.WHOLE_CARD, UNABLE, Share.WHOLE_CARD)), node, PROVIDER))
                .isEqualTo(ContainerIsolation.Settings.NONE);
        assertThat(ContainerIsolation.of(container(Map.of(UNABLE, Share.memory(1))), node, PROVIDER))
                .isEqualTo(new ContainerIsolation.Refused("card GPU-unable offers no memory: " + WHY));
    }

    @Test
    void coresAreLimitedByMpsAndHamiCoreAndNotByTheDriver() {
        StartingContainer cores = container(Map.of(ABLE, Share.memory(3).plus(Share.cores(30))));

        assertThat(ContainerIsolation.of(cores, NODE.withIsolation(decide(IsolationMode.MPS, false)), PROVIDER))
                .isEqualTo(new ContainerIsolation.Settings(
                        Map.of("CARDS", "1"),
                        List.of(),
                        Map.of(ABLE, new ContainerIsolation.Limit(Memory.ofMib(1536), Share.cores(30)))));
        assertThat(ContainerIsolation.of(cores, NODE.withIsolation(decide(IsolationMode.DRIVER, false)), PROVIDER))
                .isEqualTo(new ContainerIsolation.Refused(
                        "card GPU-able does not limit cores: isolation driver is in force, and mps or"
                                + " hami-core is needed"));
        assertThat(ContainerIsolation.of(cores, NODE.withIsolation(decide(IsolationMode.HAMI_CORE, false)), PROVIDER))
                .isInstanceOf(ContainerIsolation.Settings.class);
        assertThat(ContainerIsolation.of(cores, NODE, PROVIDER)).isInstanceOf(ContainerIsolation.Refused.class);
    }

    private static Map<CardId, CardIsolation> decide(IsolationMode mode, boolean fallback) {
        return new IsolationPolicy(mode, fallback).decide(NODE, PROVIDER);
    }

    private static StartingContainer container(Map<CardId, Share> shares) {
        return new StartingContainer(TestPods.ref("p"), new ContainerAllocation("main", ContainerRole.APP, shares));
    }

    /** Can isolate one of the cards. */
    private static final class Provider implements IsolationProvider {
        @Override
        public Optional<String> missing(Card card, Inventory inventory) {
            return card.id().equals(UNABLE) ? Optional.of(WHY) : Optional.empty();
        }

        @Override
        public Memory beside() {
            return new Memory(0);
        }

        @Override
        public ContainerIsolation settings(StartingContainer container, Map<CardId, ContainerIsolation.Limit> limits) {
            int cards = container.allocation().visibleCards().size();
            return new ContainerIsolation.Settings(Map.of("CARDS", String.valueOf(cards)), List.of(), limits);
        }

        @Override
        public Optional<String> enforce(StartingContainer container, Holdings holdings) {
            throw new AssertionError("nothing starts here");
        }

        @Override
        public void reconcile(Holdings holdings) {
            throw new AssertionError("nothing runs here");
        }
    }
}
