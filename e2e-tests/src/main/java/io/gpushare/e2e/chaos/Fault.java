package io.gpushare.e2e.chaos;

import java.time.Duration;

/**
 * A fault of the plan, with its time and target.
 *
 * @param at the start, counted from the beginning of the run
 * @param node the node's number, for kinds that have one
 * @param card the index of the card on its node, for kinds that have one
 * @param length how long the target stays frozen, stopped or unhealthy; ignored where the cluster restarts the target
 */
record Fault(Duration at, Kind kind, int node, int card, Duration length) {
    /** The kind of a fault, with its target and its shortest and longest length in seconds. */
    enum Kind {
        PLUGIN_KILL(Target.PLUGIN, 1, 1),
        PLUGIN_FREEZE(Target.PLUGIN, 2, 12),
        PLUGIN_REPLACE(Target.PLUGIN, 1, 1),
        PLUGIN_CUT_OFF(Target.PLUGIN, 20, 40),
        PLUGIN_CLOCK(Target.PLUGIN, 5, 20),
        KUBELET_KILL(Target.KUBELET, 1, 10),
        KUBELET_FREEZE(Target.KUBELET, 2, 20),
        LEADER_KILL(Target.EXTENDER, 1, 1),
        LEADER_FREEZE(Target.EXTENDER, 4, 20),
        LEADER_REPLACE(Target.EXTENDER, 1, 1),
        /** Frozen for longer than its Lease lasts, so that it wakes up deposed. */
        LEADER_DEPOSE(Target.EXTENDER, 18, 28),
        EXTENDER_CLOCK(Target.EXTENDER, 5, 20),
        SCHEDULER_KILL(Target.SCHEDULER, 1, 4),
        SCHEDULER_FREEZE(Target.SCHEDULER, 2, 14),
        CARD_XID(Target.CARD, 10, 30),
        CARD_LOST(Target.CARD, 10, 30),
        /** A tenant changes the annotations of a pod. */
        ANNOTATION_EDIT(Target.POD, 1, 1),
        /** Only with isolation. The programs on the node's shared cards end. */
        SUPERVISOR_KILL(Target.SUPERVISOR, 1, 1),
        /** Only with isolation. The programs on the card end. */
        CONTROL_DAEMON_KILL(Target.SUPERVISOR, 1, 1),
        /** Only with isolation. A tenant attacks the others of its node: {@link HostileTenant}. */
        HOSTILE_TENANT(Target.TENANT, 12, 20),
        /** Only with claims. The node's label is changed, and changed back when pods run in the other way. */
        NODE_MOVE(Target.NODE, 30, 60),
        /** Only with claims. The label is changed back while the node still moves. */
        NODE_MOVE_BRIEF(Target.NODE, 1, 12),
        /** Only with claims. The sockets by which the kubelet finds and calls the driver disappear. */
        SOCKETS_REMOVED(Target.PLUGIN, 1, 1),
        /** Only with claims. A pod is deleted by force while the runtime can't kill its container. */
        KILL_FAILS(Target.RUNTIME, 20, 45),
        /** Only with claims. The runtime starts containers without what their claims give them. */
        CDI_OFF(Target.RUNTIME, 20, 40),
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

    /** The kind of target. Two faults never hit the same target at the same time. */
    enum Target {
        PLUGIN,
        KUBELET,
        EXTENDER,
        SCHEDULER,
        CARD,
        POD,
        SUPERVISOR,
        TENANT,
        NODE,
        RUNTIME,
        API
    }

    Duration end() {
        return at.plus(length);
    }

    /** Identifies the target of this fault. */
    String subject() {
        return switch (kind.target) {
            case PLUGIN, KUBELET, SUPERVISOR, NODE, RUNTIME -> kind.target + "@" + node;
            case CARD -> "CARD " + card + "@" + node;
            case EXTENDER, SCHEDULER, POD, TENANT, API -> kind.target.toString();
        };
    }
}
