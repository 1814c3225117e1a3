package io.gpushare.e2e.chaos;

import java.time.Duration;

/**
 * Something that goes wrong for a while.
 *
 * @param at when, from the beginning of the run
 * @param node on which node, for kinds that have one
 * @param card which of the node's cards, for kinds that have one
 * @param length how long it stays frozen, away or ill; without meaning where the cluster brings it back by itself
 */
record Fault(Duration at, Kind kind, int node, int card, Duration length) {
    /** What may go wrong; seconds are the shortest and the longest length. */
    enum Kind {
        PLUGIN_KILL(Target.PLUGIN, 1, 1),
        PLUGIN_FREEZE(Target.PLUGIN, 2, 12),
        PLUGIN_REPLACE(Target.PLUGIN, 1, 1),
        KUBELET_KILL(Target.KUBELET, 1, 10),
        KUBELET_FREEZE(Target.KUBELET, 2, 20),
        LEADER_KILL(Target.EXTENDER, 1, 1),
        LEADER_FREEZE(Target.EXTENDER, 4, 20),
        LEADER_REPLACE(Target.EXTENDER, 1, 1),
        SCHEDULER_KILL(Target.SCHEDULER, 1, 4),
        SCHEDULER_FREEZE(Target.SCHEDULER, 2, 14),
        CARD_XID(Target.CARD, 10, 30),
        CARD_LOST(Target.CARD, 10, 30),
        API_FREEZE(Target.API, 30, 30),
        API_KILL(Target.API, 30, 30);

        final Target target;
        final int shortest;
        final int longest;

        Kind(Target target, int shortest, int longest) {
            this.target = target;
            this.shortest = shortest;
            this.longest = longest;
        }
    }

    /** What it happens to; two faults never happen to the same thing at once. */
    enum Target {
        PLUGIN,
        KUBELET,
        EXTENDER,
        SCHEDULER,
        CARD,
        API
    }

    Duration end() {
        return at.plus(length);
    }

    /** The one thing that it happens to. */
    String subject() {
        return switch (kind.target) {
            case PLUGIN, KUBELET -> kind.target + "@" + node;
            case CARD -> "CARD " + card + "@" + node;
            case EXTENDER, SCHEDULER, API -> kind.target.toString();
        };
    }
}
