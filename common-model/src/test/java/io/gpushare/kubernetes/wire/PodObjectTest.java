package io.gpushare.kubernetes.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.JSON;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodObjectTest {
    private static final String START = "2026-11-26T14:00:05Z";

    private static PodObject pod(String metadata, String seconds, String start) {
        PodObject pod = JSON.getGson().fromJson("""
            {"metadata":{"name":"p","uid":"u"%s},"spec":{"nodeName":"n","activeDeadlineSeconds":%s},
             "status":{"phase":"Running","startTime":"%s"}}
            """.formatted(metadata, seconds, start), PodObject.class);
        pod.strip();
        return pod;
    }

    @Test
    void aPodEndsAtItsStartAndItsDeadlineOrWhenItIsDeletedWithItsGracePeriod() {
        assertThat(pod("", "300", START).deadline()).isEqualTo(Instant.parse("2026-11-26T14:05:05Z"));
        assertThat(pod(",\"deletionTimestamp\":\"2026-11-26T14:01:00Z\"", "300", START)
                        .deadline())
                .isEqualTo(Instant.parse("2026-11-26T14:01:00Z"));
    }

    @ParameterizedTest
    @CsvSource({"null, " + START, "0, " + START, "-5, " + START, "9000000000000000000, " + START, "300, soon", "300, ''"
    })
    void withoutAUsableDeadlineItEndsByNothing(String seconds, String start) {
        assertThat(pod("", seconds, start).deadline()).isNull();
    }

    @Test
    void aPodThatEndedHasNoDeadline() {
        PodObject pod = pod("", "300", START);
        pod.forget();
        assertThat(pod.deadline()).isNull();
    }
}
