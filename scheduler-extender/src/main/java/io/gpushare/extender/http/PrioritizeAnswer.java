package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.NodeChoice;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The answer of prioritize (HostPriorityList): a bare array of hosts with integer scores. kube-scheduler adds a score to
 * those of its own plugins and takes the host with the highest sum, so that only differences count; a host that is not
 * named has 0 (prioritizeNodes in generic_scheduler.go, later schedule_one.go). So the least score of all is taken off
 * each, and the hosts that had it are left out: of many equal nodes kube-scheduler has no list to read.
 */
final class PrioritizeAnswer {
    private static final String HOST = "{\"Host\":";
    private static final Pieces.Piece FIRST = new Pieces.Piece("[" + HOST);
    private static final Pieces.Piece NEXT = new Pieces.Piece("," + HOST);
    /** What stands behind a host, by its score. */
    private static final Pieces.Piece[] SCORES = IntStream.rangeClosed(0, NodeChoice.MOST)
            .mapToObj(score -> new Pieces.Piece(",\"Score\":" + score + "}"))
            .toArray(Pieces.Piece[]::new);

    private PrioritizeAnswer() {}

    /** Those scores, one for each of the nodes. */
    static Pieces.Content of(NamedNodes nodes, int[] scores) {
        int least = Arrays.stream(scores).min().orElse(0);
        return json -> {
            boolean more = false;
            for (int place = 0; place < scores.length; place++) {
                if (scores[place] > least) {
                    json.add(more ? NEXT : FIRST);
                    more = true;
                    nodes.addTo(json, place);
                    json.add(SCORES[scores[place] - least]);
                }
            }
            json.add(more ? "]" : "[]");
        };
    }
}
