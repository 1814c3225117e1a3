package io.gpushare.kubernetes.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.JSON;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodObjectTest {
    private static final String START = "2026-11-26T14:00:05Z";

    private static PodObject pod(String seconds, String start) {
        PodObject pod = JSON.getGson().fromJson("""
            {"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n","activeDeadlineSeconds":%s},
             "status":{"phase":"Running","startTime":"%s"}}
            """.formatted(seconds, start), PodObject.class);
        pod.strip();
        return pod;
    }

    @Test
    void aPodEndsWhenItsDeadlineAndItsGracePeriodHavePassed() {
        assertThat(pod("300", START).deadline()).isEqualTo(Instant.parse("2026-11-26T14:05:05Z"));
        assertThat(pod("300,\"terminationGracePeriodSeconds\":30", START).deadline())
                .isEqualTo(Instant.parse("2026-11-26T14:05:35Z"));
        assertThat(pod("9000000000000000000", START).deadline())
                .as("at most what the API server accepts")
                .isEqualTo(Instant.parse(START).plusSeconds(Integer.MAX_VALUE));
    }

    @ParameterizedTest
    @CsvSource({"null, " + START, "300, soon", "300, ''"})
    void withoutADeadlineOrAStartNothingEndsIt(String seconds, String start) {
        assertThat(pod(seconds, start).deadline()).isNull();
    }

    @Test
    void aPodThatEndedHasNoDeadline() {
        PodObject pod = pod("300", START);
        pod.forget();
        assertThat(pod.deadline()).isNull();
    }
}
