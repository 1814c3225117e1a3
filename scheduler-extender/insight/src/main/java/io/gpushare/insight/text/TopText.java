package io.gpushare.insight.text;

import io.gpushare.insight.report.Phrases;
import io.gpushare.insight.view.CardStates;
import io.gpushare.insight.view.NodeDetails;
import io.gpushare.insight.view.NodeDetails.OneCard;
import io.gpushare.insight.view.PodsOnCards;
import io.gpushare.insight.view.SortBy;
import io.gpushare.insight.waste.CardFigure;
import io.gpushare.insight.waste.ContainerFigure;
import io.gpushare.insight.waste.Measure;
import io.gpushare.insight.waste.PodOnCard;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.MemoryUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Allocation beside measured usage, as text: by card or by pod. */
public final class TopText {
    private static final List<CardFigure> OF_CARDS = List.of(CardFigure.values());
    // The others are written in words.
    private static final List<ContainerFigure> OF_PODS = Stream.of(ContainerFigure.values())
            .filter(figure -> !figure.measure().heading().isEmpty())
            .toList();
    private static final Set<String> RIGHT = Stream.of(
                    Stream.of("MEMORY", "ALLOCATED"),
                    headings(OF_CARDS, CardFigure::measure),
                    headings(OF_PODS, ContainerFigure::measure))
            .flatMap(each -> each)
            .collect(Collectors.toSet());

    private TopText() {}

    /**
     * One row per card.
     *
     * @param wide with its model: without it a terminal with 80 columns is wide enough
     */
    public static String cards(List<NodeDetails> nodes, SortBy order, boolean wide) {
        List<String> headings = new ArrayList<>(List.of("NODE", "CARD", "MEMORY", "ALLOCATED"));
        headings(OF_CARDS, CardFigure::measure).forEach(headings::add);
        headings.add("STATE");
        TextTable table = new TextTable(RIGHT).row(row(wide, 2, "MODEL", headings));
        for (SortBy.CardOf of : order.cards(nodes)) {
            OneCard card = of.card();
            List<String> row = new ArrayList<>(List.of(
                    of.node().name(),
                    String.valueOf(card.index()),
                    Phrases.size(card.memoryMiB() << 20),
                    of.node().unit().amount(card.allocatedUnits())
                            + (card.states().whole() ? "" : cores(card.allocatedCores()))));
            OF_CARDS.forEach(figure -> row.add(measured(card.use().figure(figure), figure.measure())));
            row.add(state(card.states()));
            table.row(row(wide, 2, card.model(), row));
        }
        String unusable = nodes.stream()
                .filter(node -> node.unusable() != null
                        && (node.offersNone() || !node.cards().isEmpty()))
                .map(node -> node.name() + ": " + node.unusable() + "\n")
                .collect(Collectors.joining());
        return (table.isEmpty() ? "No cards.\n" : table + note(nodes)) + (unusable.isEmpty() ? "" : "\n" + unusable);
    }

    /**
     * One row per pod and card. Where cards have isolation, with a limit.
     *
     * @param namespace of these pods; empty for all
     */
    public static String pods(List<NodeDetails> nodes, PodsOnCards pods, String namespace) {
        boolean limits = nodes.stream()
                .flatMap(node -> node.cards().stream())
                .anyMatch(card -> card.states().isolation() != null
                        && !card.states().whole()
                        && !card.pods().isEmpty());
        List<String> headings = new ArrayList<>(List.of("NAMESPACE", "POD", "NODE", "CARD", "ALLOCATED"));
        headings(OF_PODS, ContainerFigure::measure).forEach(headings::add);
        headings.add("");
        TextTable table = new TextTable(RIGHT).row(row(limits, 5, "LIMIT", headings));
        Map<String, MemoryUnit> units = nodes.stream().collect(Collectors.toMap(NodeDetails::name, NodeDetails::unit));
        for (PodOnCard pod : pods.pods()) {
            List<String> row = new ArrayList<>(List.of(
                    pod.pod().namespace(),
                    pod.pod().name(),
                    pod.node(),
                    String.valueOf(pod.card()),
                    pod.share().whole()
                            ? "whole card"
                            : Objects.requireNonNull(units.get(pod.node()))
                                    .amount(pod.share().units())));
            OF_PODS.forEach(figure -> row.add(measured(pod.use().figure(figure), figure.measure())));
            row.add(WasteText.states(pod));
            table.row(row(
                    limits,
                    5,
                    pod.share().whole()
                            ? "-"
                            : pod.isolation() + cores(pod.share().coreCap()),
                    row));
        }
        return table.isEmpty() ? none(namespace) : table + note(nodes) + unknown(pods.pods());
    }

    /** Why the utilization of pods is unknown on nodes that report usage. */
    private static String unknown(List<PodOnCard> pods) {
        Map<String, Set<PodRef>> reasons = pods.stream()
                .filter(pod -> pod.unknown() != null)
                .collect(Collectors.groupingBy(
                        pod -> Objects.requireNonNull(pod.unknown()),
                        TreeMap::new,
                        Collectors.mapping(PodOnCard::pod, Collectors.toSet())));
        return reasons.entrySet().stream()
                .map(each -> "\nThe utilization of "
                        + Phrases.count(each.getValue().size(), "pod") + " is unknown. " + each.getKey() + "\n")
                .collect(Collectors.joining());
    }

    /** What is shown where a namespace, or the cluster, has no pods on cards. */
    static String none(String namespace) {
        return "No pods" + (namespace.isEmpty() ? "" : " of namespace " + TextTable.printable(namespace))
                + " on cards.\n";
    }

    /** The cells, and one more at that index if there is such a column. */
    private static List<String> row(boolean more, int at, String cell, List<String> cells) {
        List<String> row = new ArrayList<>(cells);
        if (more) {
            row.add(at, cell);
        }
        return row;
    }

    private static <F> Stream<String> headings(List<F> figures, Function<F, Measure> measure) {
        return figures.stream().map(figure -> measure.apply(figure).heading());
    }

    private static String measured(@Nullable Long value, Measure measure) {
        return measure.symbol() == null ? Phrases.sizeOrDash(value) : Phrases.valueOrDash(value, measure.symbol());
    }

    private static String note(List<NodeDetails> nodes) {
        long unknown = nodes.stream()
                .filter(node -> !node.cards().isEmpty() && !node.measured())
                .count();
        return unknown == 0 ? "" : "\nUsage is unknown on " + Phrases.count(unknown, "node") + ".\n";
    }

    private static String state(CardStates states) {
        List<String> words = new ArrayList<>();
        if (states.whole()) {
            words.add("whole");
        }
        if (states.unhealthy() != null) {
            words.add("unhealthy: " + states.unhealthy());
        }
        if (states.held()) {
            words.add("held");
        }
        if (states.inUseBy() != null) {
            words.add("in use by " + states.inUseBy());
        }
        if (states.taint() != null) {
            words.add("tainted: " + states.taint());
        }
        if (states.cordoned()) {
            words.add("cordoned");
        }
        if (states.isolation() != null) {
            words.add("isolation " + states.isolation());
        }
        if (states.isolationMissing() != null) {
            words.add((states.memoryClosed() ? "no memory offered: " : "not isolated: ") + states.isolationMissing());
        }
        if (states.overAllocated()) {
            words.add("over-committed");
        }
        return words.isEmpty() ? "ok" : String.join(", ", words);
    }

    private static String cores(int percent) {
        return percent == 0 ? "" : ", " + percent + "% of the cores";
    }
}
