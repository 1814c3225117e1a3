package io.gpushare.extender.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PrioritizeResponseTest {
    private String response(int... scores) {
        List<String> names =
                IntStream.range(0, scores.length).mapToObj(i -> "n" + i).toList();
        return PrioritizeResponse.of(names, scores).toString();
    }

    @Test
    void hostsWithTheLowestScoreAreLeftOut() {
        assertThat(response(9, 10, 9, 9)).isEqualTo("[{\"Host\":\"n1\",\"Score\":1}]");
        assertThat(response(0, 10, 3)).isEqualTo("[{\"Host\":\"n1\",\"Score\":10},{\"Host\":\"n2\",\"Score\":3}]");
        assertThat(response(10, 10)).isEqualTo("[]");
        assertThat(response(7)).isEqualTo("[]");
        assertThat(response()).isEqualTo("[]");
    }

    /** Between any two hosts, as kube-scheduler reads the response. */
    @Property
    void differencesAreKept(@ForAll @Size(min = 1, max = 30) List<@IntRange(max = 10) Integer> scores) {
        int[] given = scores.stream().mapToInt(Integer::intValue).toArray();
        Map<String, Integer> read = new HashMap<>();
        for (Object host : new JsonArray(response(given))) {
            JsonObject one = (JsonObject) host;
            read.put(one.getString("Host"), one.getInteger("Score"));
        }
        int lowest = Arrays.stream(given).min().orElseThrow();
        assertThat(read).doesNotContainValue(0);
        for (int i = 0; i < given.length; i++) {
            assertThat(read.getOrDefault("n" + i, 0)).isEqualTo(given[i] - lowest);
        }
    }
}
