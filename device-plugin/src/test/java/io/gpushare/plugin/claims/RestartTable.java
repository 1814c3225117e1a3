package io.gpushare.plugin.claims;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What must be offered of a card after a restart of the program, and what was seen. */
final class RestartTable {
    static final String OFFERED = "offered";
    static final String OFFERED_WHOLE = "offered whole";
    /** Which name it has depends on what a new process reads first. */
    static final String ENDED = "ended pod";

    private static final String HELD = "held by ";
    private static final String NOT_OFFERED = "not offered: ";

    private final Map<Moment, Map<Kind, Map<Node, String>>> rows = new EnumMap<>(Moment.class);

    /** What the node offers when the program is killed, and after it. */
    enum Node {
        /** Pods have resources from an earlier time, in which the node offered them. */
        CLAIMS("node with claims"),
        /** Claims were allocated and prepared before the node moved. Pods with resources were bound after that. */
        MOVED("node moved to resources");

        private final String text;

        Node(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** A moment of a claim's life, and the one in the life of a pod with a resource that is like it. */
    enum Moment {
        ALLOCATED("claim allocated, or pod bound"),
        PREPARED("claim prepared, or Allocate answered"),
        RUNS("pod runs"),
        ENDED("pod ended, claim not unprepared"),
        UNPREPARED("claim unprepared"),
        POD_DELETED("pod deleted by force, claim prepared"),
        CLAIM_DELETED("claim deleted from the API while prepared");

        private final String text;

        Moment(String text) {
            this.text = text;
        }

        /** Whether the claim is, or was, prepared. */
        boolean prepared() {
            return this != ALLOCATED;
        }

        /** Whether the kubelet may start, or start again, a container of the pod. */
        boolean starts() {
            return this == PREPARED || this == RUNS;
        }

        /** Whether nobody does or sees such a thing of a resource. */
        boolean onlyOfClaims() {
            return this == UNPREPARED || this == CLAIM_DELETED;
        }

        /** The phase of the pods; of those that are deleted, the last one. */
        String phase() {
            return switch (this) {
                case ALLOCATED, PREPARED -> "Pending";
                case RUNS, POD_DELETED, CLAIM_DELETED -> "Running";
                case ENDED, UNPREPARED -> "Succeeded";
            };
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** A kind of pod; each has a card of its own. */
    enum Kind {
        CLAIM(1, "claim"),
        CLASS(2, "of a device class"),
        SHARED(3, "of two pods"),
        FORCED(4, "claim, deleted by force, still computes"),
        RESOURCE(5, "resource"),
        BY_HAND(6, "resource, `nodeName` set by hand"),
        FORCED_RESOURCE(7, "resource, deleted by force, still computes"),
        ZERO(8, "request of 0"),
        NOBODY(9, "no pod");

        private final int number;
        private final String text;

        Kind(int number, String text) {
            this.number = number;
            this.text = text;
        }

        boolean byClaim() {
            return switch (this) {
                case CLAIM, CLASS, SHARED, FORCED -> true;
                case RESOURCE, BY_HAND, FORCED_RESOURCE, ZERO, NOBODY -> false;
            };
        }

        boolean byResource() {
            return !byClaim() && this != NOBODY;
        }

        /** Whether a process of the pod outlives it. */
        boolean computes() {
            return this == FORCED || this == FORCED_RESOURCE;
        }

        /** The name of the pod, and of its claim. */
        String pod() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** The other pod of a claim of two. */
        String second() {
            return pod() + "-second";
        }

        /** The pod's UID, as cgroups have it. */
        String uid() {
            return "00000000-1111-4222-8333-%012d".formatted(number);
        }

        String secondUid() {
            return "00000000-1111-4222-8444-%012d".formatted(number);
        }

        /** The ID of its process. */
        int pid() {
            return 100 + number;
        }

        String card() {
            return "GPU-00000000-0000-4000-8000-%012d".formatted(number);
        }

        /** Whether the kubelet of that node calls Allocate for it. */
        boolean allocated(Node node) {
            return switch (this) {
                case RESOURCE, FORCED_RESOURCE -> true;
                // It does not know the resource where it was never offered, and admits the pod without it.
                case BY_HAND -> node == Node.MOVED;
                // There are no devices to allocate for a request of 0.
                case CLAIM, CLASS, SHARED, FORCED, ZERO, NOBODY -> false;
            };
        }

        /** Whether there is such a pod on such a node at that moment. */
        boolean isThere(Moment moment, Node node) {
            return switch (this) {
                case CLAIM, CLASS, SHARED, NOBODY -> true;
                // Until its pod is deleted it is like any other.
                case FORCED -> moment.onlyOfClaims() || moment == Moment.POD_DELETED;
                case FORCED_RESOURCE -> moment == Moment.POD_DELETED;
                // On a node with claims a pod that is bound may have any card: this has a test of its own.
                case RESOURCE, BY_HAND, ZERO ->
                    !moment.onlyOfClaims()
                            && (moment != Moment.PREPARED || allocated(node))
                            && (moment != Moment.ALLOCATED || node == Node.MOVED || this == ZERO);
            };
        }

        /** What must be seen of its card. */
        String expected(Moment moment, Node node) {
            return switch (this) {
                case CLAIM, CLASS, SHARED, FORCED -> {
                    // A pod that runs keeps what its claim had.
                    boolean runs = moment == Moment.CLAIM_DELETED && this != FORCED;
                    if (runs || (moment.prepared() && !moment.onlyOfClaims())) {
                        yield (node == Node.CLAIMS ? HELD : NOT_OFFERED) + "claim default/" + pod();
                    }
                    yield this == FORCED ? NOT_OFFERED + RestartTable.ENDED : OFFERED;
                }
                case RESOURCE, BY_HAND -> {
                    if (moment.starts() && allocated(node)) {
                        yield (node == Node.MOVED ? HELD : NOT_OFFERED) + "pod default/" + pod();
                    }
                    // Its memory is kept for the pod that has it in its annotation.
                    yield moment == Moment.ALLOCATED && this == RESOURCE ? OFFERED_WHOLE : OFFERED;
                }
                case FORCED_RESOURCE -> NOT_OFFERED + RestartTable.ENDED;
                case ZERO, NOBODY -> OFFERED;
            };
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Whether nobody else gets the card. */
    static boolean held(String expected) {
        return expected.startsWith(HELD) || expected.startsWith(NOT_OFFERED);
    }

    /** Whether nothing is offered of the card. */
    static boolean notOffered(String expected) {
        return expected.startsWith(NOT_OFFERED);
    }

    /** What is seen of a card that its holder keeps from others. */
    static String heldBy(String holder, boolean offered) {
        return (offered ? HELD : NOT_OFFERED) + holder;
    }

    void seen(Kind kind, Moment moment, Node node, String offered) {
        if (kind == Kind.NOBODY) {
            return;
        }
        rows.computeIfAbsent(moment, _ -> new EnumMap<>(Kind.class))
                .computeIfAbsent(kind, _ -> new EnumMap<>(Node.class))
                .put(node, offered.replace(" default/" + kind.pod(), ""));
    }

    /** In Markdown; kinds of pods of which the same was seen are together. */
    @Override
    public String toString() {
        List<String> lines = new ArrayList<>(List.of(
                "| the program is killed when | pod | " + Node.CLAIMS + " | " + Node.MOVED + " |",
                "|---|---|---|---|"));
        rows.forEach((moment, kinds) -> {
            Map<String, List<String>> together = new LinkedHashMap<>();
            kinds.forEach((kind, seen) -> together.computeIfAbsent(
                            seen.getOrDefault(Node.CLAIMS, "") + " | " + seen.getOrDefault(Node.MOVED, ""),
                            _ -> new ArrayList<>())
                    .add(kind.text));
            together.forEach(
                    (seen, pods) -> lines.add("| " + moment + " | " + String.join("; ", pods) + " | " + seen + " |"));
        });
        return String.join("\n", lines);
    }
}
