package io.gpushare.extender.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.WithSharedExtender;
import io.vertx.core.json.JsonObject;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The verb prioritize in kube-scheduler's bytes, and the pod's policy, over real HTTP. */
class PrioritizeIT extends WithSharedExtender {
    /** The lowest score is subtracted: an omitted host has 0, and only differences count. */
    @Test
    void scoresAreIntegersFrom0To10InAnArrayWithoutTheHostsOfTheLowestScore() throws Exception {
        bound("base", "3", "n2");
        assertThat(prioritized("binpack", "n1", "n2", "cpu", "gone")).isEqualTo("[{\"Host\":\"n2\",\"Score\":10}]");
        assertThat(prioritized("spread", "n1", "n2")).isEqualTo("[{\"Host\":\"n1\",\"Score\":10}]");
        assertThat(prioritized("spread", "cpu", "gone")).isEqualTo("[]");
    }

    /** kube-scheduler names the nodes that filter returned, all or some of them, in any order. */
    @Test
    void scoresDoNotDependOnTheNodesOfTheFilterBefore() throws Exception {
        bound("three", "3", "n2");
        bound("ten", "10", "n3");
        String n3 = "{\"Host\":\"n3\",\"Score\":10}";
        String all = prioritized("binpack", "n1", "n2", "n3");
        assertThat(all).matches("\\[\\{\"Host\":\"n2\",\"Score\":[1-9]}," + Pattern.quote(n3) + "]");
        String n2 = all.substring(1, all.indexOf('}') + 1);
        for (String[] named : new String[][] {{"n1", "cpu", "n2", "n3"}, {"cpu", "n3", "n2", "n1"}, {"n1"}, {"cpu"}}) {
            extender.post("filter", args(by("binpack"), quoted(named)));
            assertThat(prioritized("binpack", "n1", "n2", "n3")).isEqualTo("[" + n2 + "," + n3 + "]");
            assertThat(prioritized("binpack", "n3", "n2", "n1")).isEqualTo("[" + n3 + "," + n2 + "]");
            assertThat(prioritized("binpack", "n3", "n1")).isEqualTo("[" + n3 + "]");
        }
    }

    private static void bound(String pod, String units, String node) throws Exception {
        api.pod(pod, "uid-" + pod, new JsonObject().put("aliyun.com/gpu-mem", units));
        assertThat(extender.bind(pod, "uid-" + pod, node)).isEmpty();
    }

    private static String prioritized(String policy, String... nodes) throws Exception {
        return extender.post("prioritize", args(by(policy), quoted(nodes))).body();
    }

    private static String quoted(String... nodes) {
        return "\"" + String.join("\",\"", nodes) + "\"";
    }

    @Test
    void anUnknownPolicyIsReported() throws Exception {
        assertThat(extender.post("filter", args(by("tightest"), "\"n1\"")).body())
                .contains("\"NodeNames\":[]")
                .contains("annotation gpushare.io/policy names no policy: write one of [binpack, spread, fgd, wsp,"
                        + " wsp-fgd, wsp-keep, adaptive]")
                .doesNotContain("tightest");
    }

    private static String by(String policy) {
        return POD.replace(
                "\"metadata\":{", "\"metadata\":{\"annotations\":{\"gpushare.io/policy\":\"" + policy + "\"},");
    }
}
