package io.gpushare.claims;

import static io.gpushare.claims.ShownCluster.A;
import static io.gpushare.claims.ShownCluster.B;
import static io.gpushare.claims.ShownCluster.TWO;
import static io.gpushare.claims.ShownCluster.card;
import static io.gpushare.claims.ShownCluster.inventory;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.claims.DeviceTaintRule;
import io.gpushare.model.claims.DeviceTaintRule.Cards;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** The ledger's cards follow from the rules and nodes that there are. */
class TaintRulesTest {
    private static final DeviceTaintRule BROKEN = rule("broken", "n1", "gpu-a");
    private static final DeviceTaintRule DRAIN = rule("drain", "n1", null);

    private final ShownCluster cluster = new ShownCluster();
    private final TaintRules rules = rules(cluster);
    private int changes;

    private static TaintRules rules(ShownCluster cluster) {
        TaintRules[] made = new TaintRules[1];
        made[0] = new TaintRules(() -> cluster.ledger.updateTaints(made[0].taints()));
        return made[0];
    }

    private static DeviceTaintRule rule(String name, @Nullable String node, @Nullable String card) {
        return new DeviceTaintRule(name, new Cards(node, card), "k=v:NoSchedule");
    }

    private Map<CardId, String> taints(String node) {
        return taints(cluster, node);
    }

    private static Map<CardId, String> taints(ShownCluster of, String node) {
        Map<CardId, String> taints = new HashMap<>();
        NodeEntry entry = of.ledger.nodeEntry(node);
        for (Card card : entry.cards().inventory().cards()) {
            if (card.taint() != null) {
                assertThat(card.placeable()).isFalse();
                taints.put(card.id(), card.taint());
            }
        }
        return taints;
    }

    @Example
    void aRuleClosesItsCardUntilItIsGone() {
        cluster.node("n1", TWO);
        rules.changed(BROKEN);
        assertThat(taints("n1")).containsExactly(Map.entry(A, "k=v:NoSchedule by DeviceTaintRule broken"));
        rules.gone(BROKEN.identity());
        assertThat(taints("n1")).isEmpty();
        assertThat(cluster.ledger.nodeEntry("n1").cards().inventory()).isEqualTo(TWO);
    }

    @Example
    void aRuleWhoseEffectChangesOpensItsCard() {
        cluster.node("n1", TWO);
        rules.changed(BROKEN);
        rules.changed(new DeviceTaintRule("broken", null, "k=v:None"));
        assertThat(taints("n1")).isEmpty();
    }

    @Example
    void severalRulesAreCountedAndTheFirstIsNamed() {
        cluster.node("n1", TWO);
        rules.changed(rule("everywhere", null, null));
        rules.changed(DRAIN);
        rules.changed(BROKEN);
        rules.changed(rule("named", null, "gpu-a"));
        assertThat(taints("n1"))
                .containsEntry(A, "k=v:NoSchedule by DeviceTaintRule broken and 3 more")
                .containsEntry(B, "k=v:NoSchedule by DeviceTaintRule drain and 1 more");
    }

    @Example
    void aNodeThatComesLaterOrChangesHasItsTaints() {
        rules.changed(BROKEN);
        cluster.node("n1", TWO);
        assertThat(taints("n1")).containsOnlyKeys(A);
        cluster.node("n1", inventory(MemoryUnit.ofMib(512), card("GPU-a", 0)));
        assertThat(taints("n1")).containsOnlyKeys(A);
        cluster.node("n1", null);
        cluster.node("n1", TWO);
        assertThat(taints("n1")).containsOnlyKeys(A);
        cluster.node("n2", TWO);
        assertThat(taints("n2")).isEmpty();
    }

    @Example
    void aNodeThatOffersItsCardsAsResourcesHasNone() {
        rules.changed(rule("everywhere", null, null));
        cluster.node("n1", TWO.withNoCards(null));
        assertThat(taints("n1")).isEmpty();
        cluster.node("n1", TWO);
        assertThat(taints("n1")).containsOnlyKeys(A, B);
        cluster.node("n1", TWO.withNoCards(null));
        assertThat(taints("n1")).isEmpty();
    }

    /** kube-controller-manager writes the status of a rule while it evicts pods. */
    @Example
    void aRuleThatSaysTheSameChangesNothing() {
        TaintRules counted = new TaintRules(() -> changes++);
        counted.changed(BROKEN);
        counted.changed(rule("broken", "n1", "gpu-a"));
        counted.gone(rule("other", null, null));
        assertThat(changes).isOne();
    }

    @Example
    void theNumberOfRulesIsLimited() {
        cluster.node("n1", TWO);
        for (int i = TaintRules.MOST + 10; i > 0; i--) {
            rules.changed(rule("r%05d".formatted(i), "n1", "gpu-a"));
        }
        assertThat(taints("n1")).containsEntry(A, "k=v:NoSchedule by DeviceTaintRule r00001 and 999 more");
        rules.clear();
        assertThat(taints("n1")).isEmpty();
    }

    @Property(tries = 300)
    void theOrderOfEventsDoesNotMatter(@ForAll long seed) {
        Random random = new Random(seed);
        Map<String, DeviceTaintRule> lastRules = new HashMap<>();
        Map<String, Inventory> lastNodes = new HashMap<>();
        ShownCluster shown = new ShownCluster();
        TaintRules mixed = rules(shown);
        for (int i = 0; i < 12; i++) {
            String name = List.of("a", "b", "c").get(random.nextInt(3));
            String node = List.of("n1", "n2").get(random.nextInt(2));
            switch (random.nextInt(3)) {
                case 0 -> {
                    Inventory now = random.nextBoolean() ? TWO : TWO.withNoCards(null);
                    lastNodes.put(node, now);
                    shown.node(node, now);
                }
                case 1 -> {
                    DeviceTaintRule now =
                            rule(name, random.nextBoolean() ? node : null, random.nextBoolean() ? "gpu-a" : null);
                    lastRules.put(name, now);
                    mixed.changed(now);
                }
                default -> {
                    lastRules.remove(name);
                    mixed.gone(rule(name, null, null).identity());
                }
            }
        }
        List<Runnable> present = new ArrayList<>();
        ShownCluster fresh = new ShownCluster();
        TaintRules ordered = rules(fresh);
        lastRules.values().forEach(rule -> present.add(() -> ordered.changed(rule)));
        lastNodes.forEach((node, inventory) -> present.add(() -> fresh.node(node, inventory)));
        Collections.shuffle(present, random);
        present.forEach(Runnable::run);
        for (String node : List.of("n1", "n2")) {
            assertThat(taints(shown, node)).isEqualTo(taints(fresh, node));
        }
    }
}
