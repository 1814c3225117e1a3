package io.gpushare.model.card;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/** What holds for every share, kind by kind: a new kind is held to it without a change here. */
class ShareProperties {
    private static final List<ShareKind> KINDS = List.of(ShareKind.values());

    @Property
    void sumsAndDifferencesAreThoseOfEachKind(@ForAll("shares") Share one, @ForAll("shares") Share other) {
        for (ShareKind kind : KINDS) {
            long sum = (long) kind.in(one) + kind.in(other);
            assertThat(kind.in(one.plus(other))).isEqualTo((int) Math.min(Integer.MAX_VALUE, sum));
            assertThat(kind.in(one.minus(other))).isEqualTo(Math.max(0, kind.in(one) - kind.in(other)));
            assertThat(kind.in(one.max(other))).isEqualTo(Math.max(kind.in(one), kind.in(other)));
        }
    }

    @Property
    void aShareFitsWhereEachKindDoesAndAFractionNowhere(@ForAll("shares") Share one, @ForAll("shares") Share other) {
        Share free = other.without(ShareKind::fraction);
        boolean each =
                KINDS.stream().allMatch(kind -> kind.fraction() ? kind.in(one) == 0 : kind.in(one) <= kind.in(free));
        assertThat(one.fits(free)).isEqualTo(each);
        Share here = one.on(free);
        assertThat(KINDS.stream().filter(ShareKind::fraction)).allMatch(kind -> kind.in(here) == 0);
        assertThat(here.fits(here.plus(free))).isTrue();
    }

    @Property
    void aShareIsTheSumOfItsKinds(@ForAll("shares") Share share) {
        Share sum = KINDS.stream().map(kind -> kind.partOf(share)).reduce(Share.NONE, Share::plus);
        assertThat(sum).isEqualTo(share).hasSameHashCodeAs(share);
        assertThat(share.isNone()).isEqualTo(KINDS.stream().allMatch(kind -> kind.in(share) == 0));
        for (ShareKind kind : KINDS) {
            assertThat(share.without(kind).plus(kind.partOf(share))).isEqualTo(share);
            assertThat(share.with(kind, 7).without(kind)).isEqualTo(share.without(kind));
        }
    }

    @Property
    void theQuestionsAboutAShareAreThoseOfItsKinds(@ForAll("shares") Share share) {
        assertThat(share.hasPart()).isEqualTo(has(share).anyMatch(ShareKind::part));
        assertThat(share.hasPercents()).isEqualTo(has(share).anyMatch(ShareKind::percent));
        assertThat(share.takenWhole() > 0).isEqualTo(has(share).anyMatch(ShareKind::whole));
        assertThat(has(share.shared())).noneMatch(ShareKind::whole);
        assertThat(has(share.withoutPercents())).noneMatch(ShareKind::percent);
        boolean alone = has(share).anyMatch(ShareKind::countedAlone);
        assertThat(has(share.counted()).toList())
                .isEqualTo(
                        has(share).filter(kind -> !alone || kind.countedAlone()).toList());
        assertThat(share.isSlots()).isEqualTo(alone && share.counted().equals(share));
    }

    @Property
    void whatIsDividedAddsUpAgain(@ForAll("shares") Share share, @ForAll @IntRange(min = 1, max = 8) int cards) {
        Share each = share.dividedBy(cards);
        Share together = Share.NONE;
        for (int card = 0; card < cards; card++) {
            together = together.plus(each);
        }
        assertThat(share.divisibleBy(cards)).isEqualTo(together.equals(share.shared()));
        for (ShareKind kind : KINDS) {
            assertThat(kind.in(each)).isEqualTo(kind.whole() ? 0 : kind.in(share) / cards);
        }
    }

    @Property
    void equalSharesAreOneValueWhereTheyAreSmall(@ForAll @IntRange(max = 255) int units) {
        Share before = Share.memory(units);
        Share other = Share.memory(units + 1_000_000).plus(Share.cores(units));
        assertThat(other.shared().minus(Share.memory(1_000_000)).withoutPercents())
                .isSameAs(before);
    }

    private static Stream<ShareKind> has(Share share) {
        return KINDS.stream().filter(kind -> kind.in(share) > 0);
    }

    @Provide
    Arbitrary<Share> shares() {
        Arbitrary<Integer> amounts = Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.just(0)),
                Tuple.of(4, Arbitraries.integers().between(0, 120)),
                Tuple.of(1, Arbitraries.integers().between(0, Integer.MAX_VALUE)));
        return amounts.list().ofSize(KINDS.size()).map(each -> {
            Share share = Share.NONE;
            for (int kind = 0; kind < KINDS.size(); kind++) {
                share = share.with(KINDS.get(kind), each.get(kind));
            }
            return share;
        });
    }
}
