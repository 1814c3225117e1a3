package io.gpushare.insight.report;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.insight.report.Endings.Ending;
import io.gpushare.insight.report.Endings.Room;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.insight.scaleup.Together;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.NodeCards.Holding;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.node.NodeRules;
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
 * The waiting pods of one PodGroup, which may be a gang, and how many of them get cards together: those that
 * accept the fewest nodes first, then the largest, each on the first node that takes it.
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
    private final int waiting;
    private final TreeMap<String, NodeEntry> nodes;
    private final List<String> names;
    private final List<Member> lacking;
    // What is free only shrinks, so an equal pod need not try the first nodes again.
    private final Map<NodeDemand, Integer> from = new HashMap<>();

    private record Member(PodRef pod, PodDemand.Valid request) {}

    private Gang(String group, List<Member> members, int waiting, Map<String, NodeEntry> nodes) {
        this.group = group;
        this.waiting = waiting;
        this.nodes = new TreeMap<>(nodes);
        Map<NodeRules, Long> accepted = new HashMap<>();
        members.forEach(member -> accepted.computeIfAbsent(member.request().nodes(), this::accepted));
        this.members = members.stream()
                .sorted(Comparator.<Member>comparingLong(
                                member -> accepted.getOrDefault(member.request().nodes(), 0L))
                        .thenComparing(LARGEST_FIRST))
                .toList();
        Set<String> uids = uids();
        this.nodes.replaceAll((_, node) -> without(uids, node));
        names = List.copyOf(this.nodes.keySet());
        lacking = this.members.stream().filter(member -> !placed(member)).toList();
    }

    private long accepted(NodeRules rules) {
        return nodes.values().stream()
                .filter(node -> node.facts() == null || rules.admit(node.facts()))
                .count();
    }

    /** What is reserved for one of them is of no use to the others; each is placed anew. */
    private static NodeEntry without(Set<String> uids, NodeEntry node) {
        NodeEntry rest = node;
        for (Holding holding : node.cards().holdings()) {
            String uid = holding.holder().uid();
            rest = uids.contains(uid) ? rest.without(uid) : rest;
        }
        return rest;
    }

    /** The pod's group; empty if no other pod of one waits with it, or there are cards for all of them at once. */
    static Optional<Gang> of(Subject subject, Collection<PodEntry> waiting, Map<String, NodeEntry> nodes) {
        String group = subject.group();
        if (group == null) {
            return Optional.empty();
        }
        List<Member> others = waiting.stream()
                .filter(pod -> group.equals(pod.group())
                        && pod.ref().namespace().equals(subject.pod().namespace())
                        && !pod.ref().uid().equals(subject.pod().uid()))
                .map(pod -> new Member(pod.ref(), pod.podDemand()))
                .toList();
        if (others.isEmpty()) {
            return Optional.empty();
        }
        List<Member> members = Stream.concat(Stream.of(new Member(subject.pod(), subject.request())), others.stream())
                .limit(MOST_PODS)
                .toList();
        Gang gang = new Gang(group, members, others.size() + 1, nodes);
        return gang.lacking.isEmpty() ? Optional.empty() : Optional.of(gang);
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

    /** Those for which new nodes are needed; empty if there are too many to tell. */
    Optional<Together> together() {
        return waiting > members.size()
                ? Optional.empty()
                : Optional.of(new Together(
                        uids(), lacking.stream().map(Member::request).toList()));
    }

    private Set<String> uids() {
        return members.stream().map(member -> member.pod().uid()).collect(Collectors.toSet());
    }

    /** How many fit, and which pods must end so that all do. */
    Advice advice(Function<PodRef, Optional<PodEntry>> pods, Instant now) {
        int fit = members.size() - lacking.size();
        String fits = (fit == 0 ? "none fits" : fit == 1 ? "only 1 fits" : "only " + fit + " fit together") + " now.";
        String sentence = "It is of pod group " + group + ": if that is a gang, kube-scheduler binds none until"
                + " minCount of its pods fit together. " + waiting + " of them wait, and "
                + (waiting > members.size() ? "of the first " + members.size() + " " : "") + fits;
        return rooms(pods, now)
                .map(rooms -> new Advice(
                        List.of(sentence, text(rooms)),
                        rooms.stream().flatMap(room -> room.endings().stream()).allMatch(Ending::terminating)))
                .orElseGet(() -> new Advice(List.of(sentence), false));
    }

    /** The smallest set of pods for each that lacks cards, one after the other. */
    private Optional<List<Room>> rooms(Function<PodRef, Optional<PodEntry>> pods, Instant now) {
        Map<String, NodeEntry> later = new HashMap<>(nodes);
        List<Room> rooms = new ArrayList<>();
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
            rooms.add(room.get());
            String name = room.get().node().node();
            NodeEntry node = Objects.requireNonNull(later.get(name));
            for (Ending each : room.get().endings()) {
                node = node.without(each.pod().uid());
            }
            later.put(name, node.with(member.pod(), room.get().room()));
        }
        return Optional.of(rooms);
    }

    private static String text(List<Room> rooms) {
        List<String> ending = rooms.stream()
                .flatMap(room -> room.endings().stream()
                        .map(each -> each.pod() + " on node " + room.node().node() + " ("
                                + EndingText.amount(room, each) + (each.terminating() ? ", being deleted)" : ")")))
                .toList();
        return "All of them fit when " + (ending.size() == 1 ? "this pod ends: " : "these pods end: ")
                + ending.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
                + (ending.size() > MOST_NAMED ? " and " + (ending.size() - MOST_NAMED) + " more" : "") + ".";
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
