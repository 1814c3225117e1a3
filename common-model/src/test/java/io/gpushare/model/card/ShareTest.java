package io.gpushare.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShareTest {
    private static final Share MOST = Share.memory(Integer.MAX_VALUE).plus(Share.whole(Integer.MAX_VALUE));

    @Test
    void aShareFitsIfEveryKindFits() {
        Share capacity = Share.memory(15).plus(Share.WHOLE_CARD);
        assertThat(Share.memory(15).fits(capacity)).isTrue();
        assertThat(Share.memory(16).fits(capacity)).isFalse();
        assertThat(Share.WHOLE_CARD.fits(capacity)).isTrue();
        assertThat(Share.WHOLE_CARD.fits(Share.memory(15))).isFalse();
        assertThat(Share.NONE.fits(Share.NONE)).isTrue();
        assertThat(Share.memory(3)
                        .plus(Share.cores(31))
                        .fits(Share.memory(15).plus(Share.WHOLE_CARD).plus(Share.cores(30))))
                .isFalse();
        assertThat(Share.memory(3)
                        .plus(Share.cores(30))
                        .fits(Share.memory(15).plus(Share.WHOLE_CARD).plus(Share.cores(30))))
                .isTrue();
    }

    @Test
    void sumsStopAtTheLargestIntAndDifferencesAtZero() {
        assertThat(MOST.plus(Share.memory(1).plus(Share.WHOLE_CARD))).isEqualTo(MOST);
        assertThat(Share.memory(3).plus(Share.memory(4))).isEqualTo(Share.memory(7));
        assertThat(Share.memory(3).minus(Share.memory(4).plus(Share.WHOLE_CARD)))
                .isEqualTo(Share.NONE);
        assertThat(Share.memory(15).plus(Share.WHOLE_CARD).minus(Share.memory(5)))
                .isEqualTo(Share.memory(10).plus(Share.WHOLE_CARD));
        assertThat(Share.memory(3).plus(Share.cores(30)).plus(Share.memory(4).plus(Share.cores(40))))
                .isEqualTo(Share.memory(7).plus(Share.cores(70)));
        assertThat(Share.memory(15)
                        .plus(Share.WHOLE_CARD)
                        .plus(Share.cores(100))
                        .minus(Share.memory(3).plus(Share.cores(30))))
                .isEqualTo(Share.memory(12).plus(Share.WHOLE_CARD).plus(Share.cores(70)));
        assertThat(Share.memory(1)
                        .plus(Share.cores(Integer.MAX_VALUE))
                        .plus(Share.cores(1))
                        .cores())
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
        assertThat(Share.memory(5).plus(Share.WHOLE_CARD).shared()).isEqualTo(Share.memory(5));
        assertThat(Share.WHOLE_CARD.shared().isNone()).isTrue();
        assertThat(Share.memory(5).plus(Share.WHOLE_CARD).plus(Share.cores(30)).shared())
                .isEqualTo(Share.memory(5).plus(Share.cores(30)));
        assertThat(Share.memory(5).plus(Share.WHOLE_CARD).plus(Share.cores(30)).withoutPercents())
                .isEqualTo(Share.memory(5).plus(Share.WHOLE_CARD));
        assertThat(Share.memory(5).plus(Share.cores(30)).dividedBy(1))
                .isEqualTo(Share.memory(5).plus(Share.cores(30)));
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
