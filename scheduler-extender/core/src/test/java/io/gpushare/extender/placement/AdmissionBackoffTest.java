package io.gpushare.extender.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.PodRef;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AdmissionBackoffTest {
    private static final String NAMESPACE = "a";

    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(30).toNanos(); // the clock may overflow
    private final AdmissionBackoff backoff = new AdmissionBackoff(() -> nanos);

    @Test
    void aNodeThatRejectsAPodGetsNoneForFiveSecondsAndThenOneAtATime() {
        assertThat(bind("p1")).isTrue();
        backoff.rejected("p1");
        assertThat(backoff.closedFor(NAMESPACE)).containsExactly("n1");
        assertThat(bind("p2")).isFalse();
        pass(5);
        assertThat(backoff.closedFor(NAMESPACE)).isEmpty();
        assertThat(bind("p2")).isTrue();
        assertThat(bind("p3")).as("until the result is known").isFalse();
        assertThat(backoff.rejections()).isEqualTo(1);
    }

    @Test
    void theDelayDoublesWithEachRejectionUpToFiveMinutes() {
        int[] delays = {5, 10, 20, 40, 80, 160, 300, 300};
        for (int i = 0; i < delays.length; i++) {
            assertThat(bind("p" + i)).isTrue();
            backoff.rejected("p" + i);
            pass(delays[i] - 1);
            assertThat(bind("early")).as("before %d s", delays[i]).isFalse();
            pass(1);
        }
    }

    @Test
    void podsThatWereBoundBeforeTheFirstRejectionAreOneFailure() {
        for (int i = 0; i < 50; i++) {
            assertThat(bind("p" + i)).isTrue();
        }
        for (int i = 0; i < 50; i++) {
            nanos++;
            backoff.rejected("p" + i);
        }
        pass(5);
        assertThat(bind("q")).isTrue();
        assertThat(backoff.rejections()).isEqualTo(50);
    }

    @Test
    void anAdmittedPodEndsTheBackoffForAllNamespaces() {
        bind("p1");
        backoff.rejected("p1");
        backoff.bound(new PodRef("q", "b", "q"), "n1");
        backoff.admitted("q");
        assertThat(backoff.closedFor(NAMESPACE)).isEmpty();
        assertThat(bind("p2")).isTrue();
    }

    @Test
    void podsOfOneNamespaceCloseANodeForNoOther() {
        bind("p1");
        backoff.rejected("p1");
        assertThat(backoff.closedFor("b")).isEmpty();
        assertThat(backoff.admits(new PodRef("q", "b", "q"), "n1")).isTrue();
        assertThat(backoff.closed()).isEqualTo(1);
    }

    @Test
    void aLateRejectionAndOneOfAPodThatAnotherBoundDoNotCount() {
        bind("p1");
        pass(61);
        backoff.rejected("p1");
        backoff.rejected("unknown");
        backoff.admitted("unknown");
        assertThat(backoff.closedFor(NAMESPACE)).isEmpty();
        assertThat(backoff.rejections()).isZero();
    }

    @Test
    void theMemoryIsBounded() {
        bind("first");
        for (int i = 0; i < AdmissionBackoff.MOST_PODS; i++) {
            bind("p" + i);
        }
        backoff.rejected("first");
        assertThat(backoff.closed()).isZero();
        for (int i = 0; i <= AdmissionBackoff.MOST_BACKOFFS; i++) {
            backoff.bound(pod("q" + i), "n" + i);
            backoff.rejected("q" + i);
        }
        assertThat(backoff.closed()).isEqualTo(AdmissionBackoff.MOST_BACKOFFS);
    }

    /** Binds as the extender does; returns whether it may. */
    private boolean bind(String name) {
        boolean admits = backoff.admits(pod(name), "n1");
        if (admits) {
            backoff.bound(pod(name), "n1");
        }
        return admits;
    }

    private static PodRef pod(String name) {
        return new PodRef(name, NAMESPACE, name);
    }

    private void pass(int seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }
}
