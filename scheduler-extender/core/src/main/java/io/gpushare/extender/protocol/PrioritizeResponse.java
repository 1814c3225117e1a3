package io.gpushare.extender.protocol;

import io.gpushare.extender.http.ResponseWriter;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.List;

/**
 * The response of prioritize (HostPriorityList): an array of hosts with integer scores. kube-scheduler adds the scores
 * to those of its own plugins and takes the host with the highest sum, so only differences count; a host that is
 * missing has score 0 (prioritizeNodes in generic_scheduler.go, later schedule_one.go). The lowest score is therefore
 * subtracted from all, and hosts with the lowest score are left out: for thousands of equal nodes the list is empty.
 */
final class PrioritizeResponse {
    private PrioritizeResponse() {}

    /** The response with these scores, one for each of the nodes with these names. */
    static Buffer of(List<String> names, int[] scores) {
        int lowest = Arrays.stream(scores).min().orElse(0);
        return ResponseWriter.of(json -> {
            String before = "[{\"Host\":";
            for (int place = 0; place < scores.length; place++) {
                if (scores[place] > lowest) {
                    json.add(before);
                    json.addQuoted(names.get(place));
                    json.add(",\"Score\":" + (scores[place] - lowest) + "}");
                    before = ",{\"Host\":";
                }
            }
            json.add(before.startsWith("[") ? "[]" : "]");
        });
    }
}
