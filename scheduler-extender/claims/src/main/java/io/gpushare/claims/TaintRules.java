package io.gpushare.claims;

import io.gpushare.extender.ledger.CardTaints;
import io.gpushare.kubernetes.Informer;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.claims.CardNames;
import io.gpushare.model.claims.DeviceTaintRule;
import io.gpushare.model.claims.DeviceTaintRule.Cards;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The DeviceTaintRules that close cards to claims, and what they say of each card. */
final class TaintRules implements Informer.Listener<DeviceTaintRule> {
    static final int MOST = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(TaintRules.class);

    private final Runnable changed;
    private final NavigableMap<String, DeviceTaintRule> rules = new TreeMap<>();
    private boolean saidFull;

    /** @param changed is run when {@link #taints} may be others */
    TaintRules(Runnable changed) {
        this.changed = changed;
    }

    @Override
    public void changed(DeviceTaintRule now) {
        if (replace(now)) {
            changed.run();
        }
    }

    @Override
    public void gone(DeviceTaintRule last) {
        changed(last.identity());
    }

    /** Forgets all rules. */
    void clear() {
        synchronized (this) {
            rules.clear();
        }
        changed.run();
    }

    private synchronized boolean replace(DeviceTaintRule now) {
        @Nullable DeviceTaintRule kept = now.cards() == null ? null : now;
        @Nullable DeviceTaintRule before = kept == null ? rules.remove(now.name()) : rules.put(now.name(), kept);
        if (rules.size() > MOST) {
            rules.pollLastEntry();
            if (!saidFull) {
                LOG.warn("more than {} DeviceTaintRules close cards: those that are last by name are not shown", MOST);
            }
            saidFull = true;
        }
        return !Objects.equals(before, kept); // Kubernetes writes the status of a rule while it evicts pods
    }

    /** What the rules say now. */
    synchronized CardTaints taints() {
        Map<Cards, Mark> marks = new HashMap<>();
        rules.values().forEach(rule -> marks.merge(Objects.requireNonNull(rule.cards()), new Mark(rule, 1), Mark::and));
        return (node, inventory) -> on(node, inventory, marks);
    }

    private static Map<CardId, String> on(String node, Inventory inventory, Map<Cards, Mark> marks) {
        Map<CardId, String> taints = new HashMap<>();
        inventory
                .cards()
                .forEach(card -> CardNames.of(card.id())
                        .flatMap(name -> on(node, name, marks))
                        .ifPresent(mark -> taints.put(card.id(), mark.toString())));
        return taints;
    }

    private static Optional<Mark> on(String node, String card, Map<Cards, Mark> marks) {
        return Stream.of(new Cards(node, card), new Cards(node, null), new Cards(null, card), new Cards(null, null))
                .flatMap(each -> Stream.ofNullable(marks.get(each)))
                .reduce(Mark::and);
    }

    /** What some rules say of the same cards: the first of them by name, and how many there are. */
    private record Mark(DeviceTaintRule first, int count) {
        Mark and(Mark other) {
            boolean earlier = other.first.name().compareTo(first.name()) < 0;
            return new Mark(earlier ? other.first : first, count + other.count);
        }

        @Override
        public String toString() {
            String more = count > 1 ? " and " + (count - 1) + " more" : "";
            return first.taint() + " by DeviceTaintRule " + first.name() + more;
        }
    }
}
