package io.gpushare.kubernetes.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.Events;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventBackoffTest {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final EventBackoff.Report XID = report("p", "Xid 94");

    private final EventBackoff backoff = new EventBackoff();
    private final List<EventBackoff.Due> recorded = new ArrayList<>();
    private Instant now = NOON;
    private Duration wall = Duration.ZERO;

    @Test
    void theFirstReportIsRecordedAtOnceAndOtherPodsAndSentencesAreSeparate() {
        report(XID);
        report(report("q", "Xid 94"));
        report(report("p", "Xid 79"));
        report(XID);
        assertThat(recorded).hasSize(3).allMatch(due -> due.times().equals(Events.Series.once(NOON)));
    }

    @Test
    void anHourOfOneReportASecondIsSevenEventsThatCountThemAll() {
        for (int second = 0; second < 3600; second++) {
            report(XID);
            pass(Duration.ofSeconds(1));
        }
        assertThat(recorded).hasSize(6);
        pass(Duration.ofHours(1));
        assertThat(recorded).hasSize(7);
        assertThat(recorded.stream().mapToInt(due -> due.times().count()).sum()).isEqualTo(3600);
        assertThat(recorded.get(1).times()).isEqualTo(new Events.Series(59, NOON.plusSeconds(1), NOON.plusSeconds(59)));
    }

    @Test
    void aStepOfTheWallClockIsShownAndDelaysNothing() {
        report(XID);
        wall = Duration.ofHours(-1);
        report(XID);
        pass(Duration.ofMinutes(1));
        assertThat(recorded).hasSize(2);
        assertThat(recorded.getLast().times()).isEqualTo(Events.Series.once(NOON.minus(Duration.ofHours(1))));
    }

    @Test
    void aRepeatIsRecordedEvenIfNothingFollows() {
        report(XID);
        pass(Duration.ofSeconds(30));
        report(XID);
        pass(Duration.ofSeconds(29));
        assertThat(recorded).hasSize(1);
        pass(Duration.ofSeconds(1));
        assertThat(recorded).hasSize(2);
        assertThat(recorded.getLast().times()).isEqualTo(Events.Series.once(NOON.plusSeconds(30)));
    }

    @Test
    void afterAQuietTimeAReportIsNewAgain() {
        for (int i = 0; i < 3; i++) {
            report(XID);
            pass(Duration.ofMinutes(5));
        }
        assertThat(recorded).as("each after its pause").hasSize(3);
        pass(Duration.ofMinutes(10));
        report(XID);
        pass(Duration.ofMinutes(1));
        report(XID);
        assertThat(recorded).as("the pauses restart").hasSize(5);
    }

    @Test
    void aLongProblemIsRecordedOnceAnHour() {
        for (int minute = 0; minute < 24 * 60; minute++) {
            report(XID);
            pass(Duration.ofMinutes(1));
        }
        assertThat(recorded).hasSizeBetween(28, 32);
    }

    private void report(EventBackoff.Report report) {
        backoff.report(report, now, now.plus(wall)).ifPresent(recorded::add);
    }

    private void pass(Duration time) {
        for (Instant end = now.plus(time); now.isBefore(end); ) {
            now = now.plusSeconds(1);
            recorded.addAll(backoff.due(now));
        }
    }

    private static EventBackoff.Report report(String pod, String sentence) {
        return new EventBackoff.Report(
                new EventSubject.Pod(new PodRef("uid-" + pod, "default", pod)), new PodEvent(true, "GpuXid", sentence));
    }
}
