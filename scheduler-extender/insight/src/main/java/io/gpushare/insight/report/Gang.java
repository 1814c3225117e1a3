package io.gpushare.insight.report;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.insight.report.Endings.Room;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.insight.scaleup.Together;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.Placement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The waiting pods of one PodGroup, of which kube-scheduler binds all or none, and how many of them get cards together:
 * the largest first, each on the first node that takes it.
 */
final class Gang {
    /** So many are placed, and for so many of those that lack cards pods are searched that must end. */
    private static final int MOST_PODS = 256;

    private static final int MOST_LACKING = 4;
    private static final int MOST_NAMED = 5;
    private static final Comparator<Member> LARGEST_FIRST = Comparator.comparingInt(
                    (Member member) -> member.request().demand().total().wholeCards())
            .thenComparingInt(member -> member.request().demand().total().units())
            .reversed()
            .thenComparing(member -> member.pod().toString());

    private final String group;
    private final List<Member> members;
    private final TreeMap<String, NodeEntry> nodes;
    private final List<String> names;
    private final List<Member> lacking;
    // What is free only shrinks, so an equal pod need not try the first nodes again.
    private final Map<NodeDemand, Integer> from = new HashMap<>();

    private record Member(PodRef pod, PodDemand.Valid request) {}

    private Gang(String group, List<Member> members, Map<String, NodeEntry> nodes) {
        this.group = group;
        this.members = members;
        this.nodes = new TreeMap<>(nodes);
        names = List.copyOf(this.nodes.keySet());
        lacking = members.stream().filter(member -> !placed(member)).toList();
    }

    /** The pod's group; empty if no other pod of one waits with it. */
    static Optional<Gang> of(Subject subject, Collection<PodEntry> waiting, Map<String, NodeEntry> nodes) {
        String group = subject.group();
        if (group == null) {
            return Optional.empty();
        }
        List<Member> members = Stream.concat(
                        Stream.of(new Member(subject.pod(), subject.request())),
                        waiting.stream()
                                .filter(pod -> group.equals(pod.group())
                                        && pod.ref()
                                                .namespace()
                                                .equals(subject.pod().namespace())
                                        && !pod.ref().uid().equals(subject.pod().uid()))
                                .limit(MOST_PODS - 1)
                                .map(pod -> new Member(pod.ref(), pod.podDemand())))
                .sorted(LARGEST_FIRST)
                .toList();
        return members.size() < 2 ? Optional.empty() : Optional.of(new Gang(group, members, nodes));
    }

    private boolean placed(Member member) {
        NodeDemand demand = member.request().onNode();
        for (int i = from.getOrDefault(demand, 0); i < names.size(); i++) {
            NodeEntry node = node(names.get(i));
            if (node.refusal(demand) == null
                    && node.cards().place(demand.cards()) instanceof Placement.Placed(var allocation)) {
                nodes.put(names.get(i), node.with(member.pod(), allocation));
                from.put(demand, i);
                return true;
            }
        }
        from.put(demand, names.size());
        return false;
    }

    private NodeEntry node(String name) {
        return Objects.requireNonNull(nodes.get(name));
    }

    /** Whether there are cards for all of them at once. */
    boolean fits() {
        return lacking.isEmpty();
    }

    /** Those for which new nodes are needed. */
    Together together() {
        return new Together(uids(), lacking.stream().map(Member::request).toList());
    }

    private Set<String> uids() {
        return members.stream().map(member -> member.pod().uid()).collect(Collectors.toSet());
    }

    /** How many fit, and which pods must end so that all do; none if they fit. */
    List<String> sentences(Function<PodRef, Optional<PodEntry>> pods, Instant now) {
        if (fits()) {
            return List.of();
        }
        List<String> sentences = new ArrayList<>();
        int fit = members.size() - lacking.size();
        sentences.add("It is of pod group " + group + ", of which kube-scheduler binds all pods or none: "
                + members.size() + " of them wait, and "
                + (fit == 0 ? "none fits" : fit == 1 ? "only 1 fits" : "only " + fit + " fit together") + " now.");
        ending(pods, now).ifPresent(sentences::add);
        return sentences;
    }

    /** The smallest set of pods for each that lacks cards, one after the other. */
    private Optional<String> ending(Function<PodRef, Optional<PodEntry>> pods, Instant now) {
        Map<String, NodeEntry> later = new HashMap<>(nodes);
        List<String> ending = new ArrayList<>();
        for (Member member : lacking) {
            Optional<Room> room = lacking.size() > MOST_LACKING
                    ? Optional.empty()
                    : new Endings(
                                    new Subject(member.pod(), null, group, member.request(), now),
                                    verdicts(member, later),
                                    pods,
                                    uids())
                            .smallest();
            if (room.isEmpty()) {
                return Optional.empty();
            }
            String name = room.get().node().node();
            NodeEntry node = Objects.requireNonNull(later.get(name));
            for (Endings.Ending each : room.get().endings()) {
                ending.add(each.pod() + " on node " + name + " (" + EndingText.amount(room.get(), each) + ")");
                node = node.without(each.pod().uid());
            }
            later.put(name, node.with(member.pod(), room.get().room()));
        }
        return Optional.of("All of them fit when " + (ending.size() == 1 ? "this pod ends: " : "these pods end: ")
                + ending.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
                + (ending.size() > MOST_NAMED ? " and " + (ending.size() - MOST_NAMED) + " more" : "") + ".");
    }

    private static List<NodeVerdict> verdicts(Member member, Map<String, NodeEntry> nodes) {
        NodeDemand demand = member.request().onNode();
        return nodes.entrySet().stream()
                .map(node -> NodeVerdict.of(
                        node.getKey(), node.getValue().refusal(demand), false, demand.cards(), node.getValue()))
                .filter(NodeVerdict::accepted)
                .toList();
    }
}
