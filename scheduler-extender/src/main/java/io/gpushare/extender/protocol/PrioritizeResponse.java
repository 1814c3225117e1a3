package io.gpushare.extender.protocol;

import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.scheduling.NodeSelection;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The answer of prioritize (HostPriorityList): a bare array of hosts with integer scores. kube-scheduler adds a score to
 * those of its own plugins and takes the host with the highest sum, so that only differences count; a host that is not
 * named has 0 (prioritizeNodes in generic_scheduler.go, later schedule_one.go). So the least score of all is taken off
 * each, and the hosts that had it are left out: of many equal nodes kube-scheduler has no list to read.
 */
final class PrioritizeResponse {
    private static final String HOST = "{\"Host\":";
    /** What stands between a host and the next one, by its score. */
    private static final ResponseWriter.Piece[] SCORES = pieces("}," + HOST);
    /** What stands behind the last. */
    private static final ResponseWriter.Piece[] LAST_SCORES = pieces("}");

    private PrioritizeResponse() {}

    private static ResponseWriter.Piece[] pieces(String after) {
        return IntStream.rangeClosed(0, NodeSelection.MAX_SCORE)
                .mapToObj(score -> new ResponseWriter.Piece(",\"Score\":" + score + after))
                .toArray(ResponseWriter.Piece[]::new);
    }

    /** Those scores, one for each of the nodes. */
    static ResponseWriter.Content of(NamedNodes nodes, int[] scores) {
        int least = Arrays.stream(scores).min().orElse(0);
        int last = scores.length - 1;
        while (last >= 0 && scores[last] == least) {
            last--;
        }
        int end = last;
        return json -> {
            json.add(end < 0 ? "[" : "[" + HOST);
            for (int place = 0; place <= end; place++) {
                if (scores[place] > least) {
                    nodes.addTo(json, place);
                    json.add((place < end ? SCORES : LAST_SCORES)[scores[place] - least]);
                }
            }
            json.add(']');
        };
    }
}
