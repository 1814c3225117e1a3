package io.gpushare.model.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeRulesTest {
    private static final NodeFacts NODE = new NodeFacts("n1", Map.of("zone", "a", "cards", "4"), List.of());

    @Test
    void aPodWithoutConditionsAcceptsEveryNodeWithoutTaints() {
        assertThat(rules(Map.of(), List.of()).admit(NODE)).isTrue();
        assertThat(rules(Map.of(), List.of()).admit(tainted("NoSchedule"))).isFalse();
        assertThat(rules(Map.of(), List.of()).admit(tainted("NoExecute"))).isFalse();
        assertThat(rules(Map.of(), List.of()).admit(tainted("PreferNoSchedule")))
                .isTrue();
    }

    @Test
    void eachLabelOfTheNodeSelectorMustMatch() {
        assertThat(rules(Map.of("zone", "a"), List.of()).admit(NODE)).isTrue();
        assertThat(rules(Map.of("zone", "a", "disk", "ssd"), List.of()).admit(NODE))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "team,Equal,x,NoSchedule,true",
                "team,-,x,-,true",
                "team,Exists,-,-,true",
                "-,Exists,-,-,true",
                "team,Equal,y,NoSchedule,false",
                "team,Equal,x,NoExecute,false",
                "other,Exists,-,-,false",
                "-,Equal,x,-,false",
                "team,Gt,x,-,false"
            })
    void aTolerationToleratesAsInKubernetes(
            @Nullable String key,
            @Nullable String operator,
            @Nullable String value,
            @Nullable String effect,
            boolean admitted) {
        Toleration toleration = new Toleration(text(key), text(operator), text(value), text(effect));
        assertThat(rules(Map.of(), List.of(toleration)).admit(tainted("NoSchedule")))
                .isEqualTo(admitted);
    }

    @ParameterizedTest
    @CsvSource({
        "zone,In,a,true",
        "zone,In,b,false",
        "disk,In,a,false",
        "zone,NotIn,b,true",
        "zone,NotIn,a,false",
        "disk,NotIn,a,true",
        "zone,Exists,,true",
        "disk,Exists,,false",
        "disk,DoesNotExist,,true",
        "cards,Gt,3,true",
        "cards,Gt,4,false",
        "cards,Lt,5,true",
        "cards,Lt,99999999999999999999999999,false",
        "zone,Gt,3,false",
        "zone,Like,a,false"
    })
    void aRequirementMatchesAsInKubernetes(String key, String operator, @Nullable String value, boolean admitted) {
        LabelRequirement requirement = new LabelRequirement(key, operator, value == null ? Set.of() : Set.of(value));
        assertThat(required(new NodeRules.Term(List.of(requirement), List.of())).admit(NODE))
                .isEqualTo(admitted);
    }

    @Test
    void oneTermMustMatchAndATermWithoutRequirementsMatchesNothing() {
        NodeRules.Term empty = new NodeRules.Term(List.of(), List.of());
        NodeRules.Term byName =
                new NodeRules.Term(List.of(), List.of(new LabelRequirement("metadata.name", "In", Set.of("n1"))));
        assertThat(required(empty).admit(NODE)).isFalse();
        assertThat(required(empty, byName).admit(NODE)).isTrue();
        assertThat(required(empty, byName).size())
                .as("two terms, a requirement and its value")
                .isEqualTo(4);
    }

    @Test
    void whatKeepsAPodFromANodeIsNamed() {
        NodeRules none = rules(Map.of(), List.of());
        assertThat(none.mismatch(NODE)).isNull();
        assertThat(rules(Map.of("zone", "b"), List.of()).mismatch(NODE)).isEqualTo(NodeMismatch.SELECTOR);
        assertThat(required(new NodeRules.Term(List.of(), List.of())).mismatch(NODE))
                .isEqualTo(NodeMismatch.AFFINITY);
        assertThat(none.mismatch(tainted("NoSchedule"))).isEqualTo(NodeMismatch.TAINT);
        NodeFacts cordoned = new NodeFacts("n1", Map.of(), List.of(Taint.UNSCHEDULABLE));
        assertThat(none.mismatch(cordoned)).isEqualTo(NodeMismatch.CORDONED);
        assertThat(NodeRules.ANY.mismatch(cordoned)).isNull();
        NodeFacts down =
                new NodeFacts("n1", Map.of(), List.of(new Taint("node.kubernetes.io/unreachable", "", "NoExecute")));
        assertThat(none.mismatch(down)).isEqualTo(NodeMismatch.NOT_READY);
        NodeFacts both =
                new NodeFacts("n1", Map.of(), List.of(Taint.UNSCHEDULABLE, new Taint("team", "x", "NoSchedule")));
        assertThat(none.mismatch(both)).as("uncordoning would not help").isEqualTo(NodeMismatch.TAINT);
    }

    @Test
    void aNodeIsShutByTaintsThatPass() {
        assertThat(NODE.shut()).isNull();
        assertThat(tainted("NoSchedule").shut()).as("that of a pool").isNull();
        for (String key : List.of(
                "node.kubernetes.io/unschedulable",
                "node.kubernetes.io/disk-pressure",
                "node.cloudprovider.kubernetes.io/shutdown",
                "ToBeDeletedByClusterAutoscaler",
                "karpenter.sh/disrupted")) {
            Taint taint = new Taint(key, "", "NoSchedule");
            assertThat(new NodeFacts("n1", Map.of(), List.of(taint)).shut()).isEqualTo(taint);
            Taint soft = new Taint(key, "", "PreferNoSchedule");
            assertThat(new NodeFacts("n1", Map.of(), List.of(soft)).shut()).isNull();
        }
    }

    @Test
    void aNewNodeOfTheKindHasAnotherNameAndNoPassingTaint() {
        NodeFacts node = new NodeFacts(
                "n1",
                Map.of("kubernetes.io/hostname", "n1", "zone", "a"),
                List.of(Taint.UNSCHEDULABLE, new Taint("team", "x", "NoSchedule")));
        assertThat(rules(Map.of("kubernetes.io/hostname", "n1"), List.of()).mismatch(node.another()))
                .isEqualTo(NodeMismatch.SELECTOR);
        assertThat(rules(Map.of("zone", "a"), List.of(new Toleration("team", "Exists", "", "")))
                        .admit(node.another()))
                .isTrue();
        assertThat(rules(Map.of("zone", "a"), List.of()).mismatch(node.another()))
                .isEqualTo(NodeMismatch.TAINT);
    }

    private static NodeRules rules(Map<String, String> selector, List<Toleration> tolerations) {
        return new NodeRules(selector, null, tolerations);
    }

    private static NodeRules required(NodeRules.Term... terms) {
        return new NodeRules(Map.of(), List.of(terms), List.of());
    }

    private static NodeFacts tainted(String effect) {
        return new NodeFacts("n1", Map.of(), List.of(new Taint("team", "x", effect)));
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
