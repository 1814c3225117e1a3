package io.gpushare.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShareTest {
    private static final Share MOST = new Share(Integer.MAX_VALUE, Integer.MAX_VALUE);

    @Test
    void aShareFitsIfEveryKindFits() {
        Share capacity = new Share(15, 1);
        assertThat(Share.memory(15).fits(capacity)).isTrue();
        assertThat(Share.memory(16).fits(capacity)).isFalse();
        assertThat(Share.WHOLE_CARD.fits(capacity)).isTrue();
        assertThat(Share.WHOLE_CARD.fits(Share.memory(15))).isFalse();
        assertThat(Share.NONE.fits(Share.NONE)).isTrue();
        assertThat(new Share(3, 0, 31).fits(new Share(15, 1, 30))).isFalse();
        assertThat(new Share(3, 0, 30).fits(new Share(15, 1, 30))).isTrue();
    }

    @Test
    void sumsStopAtTheLargestIntAndDifferencesAtZero() {
        assertThat(MOST.plus(new Share(1, 1))).isEqualTo(MOST);
        assertThat(Share.memory(3).plus(Share.memory(4))).isEqualTo(Share.memory(7));
        assertThat(Share.memory(3).minus(new Share(4, 1))).isEqualTo(Share.NONE);
        assertThat(new Share(15, 1).minus(Share.memory(5))).isEqualTo(new Share(10, 1));
        assertThat(new Share(3, 0, 30).plus(new Share(4, 0, 40))).isEqualTo(new Share(7, 0, 70));
        assertThat(new Share(15, 1, 100).minus(new Share(3, 0, 30))).isEqualTo(new Share(12, 1, 70));
        assertThat(new Share(1, 0, Integer.MAX_VALUE).plus(Share.cores(1)).cores())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void everyKindReadsWhatItCreates() {
        for (ShareKind kind : ShareKind.values()) {
            assertThat(kind.in(kind.share(300))).isEqualTo(300);
            for (ShareKind other : ShareKind.values()) {
                assertThat(other.in(kind.share(300))).isEqualTo(other == kind ? 300 : 0);
            }
        }
    }

    @Test
    void wholeCardsAreNotShared() {
        assertThat(new Share(5, 1).shared()).isEqualTo(Share.memory(5));
        assertThat(Share.WHOLE_CARD.shared().isNone()).isTrue();
        assertThat(new Share(5, 1, 30).shared()).isEqualTo(new Share(5, 0, 30));
        assertThat(new Share(5, 1, 30).withoutPercents()).isEqualTo(new Share(5, 1));
        assertThat(new Share(5, 0, 30).dividedBy(1)).isEqualTo(new Share(5, 0, 30));
        assertThat(Share.memory(6).divisibleBy(3)).isTrue();
        assertThat(Share.memory(6).divisibleBy(4)).isFalse();
        assertThat(Share.memory(6).dividedBy(3)).isEqualTo(Share.memory(2));
    }

    @Test
    void aNegativeShareIsRejected() {
        assertThatThrownBy(() -> Share.memory(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Share.whole(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Share.cores(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
