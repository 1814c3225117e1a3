package io.gpushare.plugin.node.usage;

import io.gpushare.plugin.node.usage.NodeUsage.ContainerOnCard;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The clients of MPS on one card. The driver reports only what their server computes for all of them. That is the
 * utilization of the one container that has clients, and of each container if it is 0; otherwise theirs is unknown.
 *
 * @param pids the processes whose utilization is that of the server
 * @param together percent of the time in which those of each container compute; empty if it is unknown
 * @param ended the containers that have no process any more, and may have computed since the report before
 */
record MpsClients(Set<Long> pids, OptionalInt together, Set<ContainerOnCard> ended) {
    MpsClients {
        pids = Set.copyOf(pids);
        ended = Set.copyOf(ended);
    }

    /**
     * Finds them among the processes of a card.
     *
     * @param server percent of the time in which the server computes, if the card is known to have one
     * @param owners the containers of processes, as far as they are known
     * @param before the containers that had processes there at the report before: the driver's samples may be theirs
     */
    static MpsClients of(
            CardUtilization card,
            Optional<OptionalInt> server,
            Map<Long, ContainerOnCard> owners,
            Set<ContainerOnCard> before) {
        List<Long> clients = card.processes().orElse(List.of()).stream()
                .filter(process -> isClient(process, server.isPresent()))
                .map(CardProcess::pid)
                .toList();
        OptionalInt all = server.orElse(OptionalInt.empty());
        boolean alone = owners.keySet().containsAll(clients)
                && Stream.concat(clients.stream().map(owners::get), before.stream())
                                .distinct()
                                .count()
                        <= 1;
        boolean computes = all.orElse(1) > 0;
        Set<ContainerOnCard> ended = new HashSet<>(server.isPresent() && computes ? before : Set.of());
        ended.removeAll(owners.values());
        return new MpsClients(new HashSet<>(clients), alone || !computes ? all : OptionalInt.empty(), ended);
    }

    /** Drivers before 535.98 don't list clients: there, no process on a card with a server has samples of its own. */
    private static boolean isClient(CardProcess process, boolean served) {
        return process.mps().orElse(served) && process.gpuUtilization().orElse(0) == 0;
    }

    /** What the processes of a container compute, with that process in addition. */
    NodeUsage.Measured plus(NodeUsage.Measured before, CardProcess process) {
        if (!pids.contains(process.pid())) {
            return before.with(process.pid(), process.use());
        }
        boolean counted = before.pids().stream().anyMatch(pids::contains);
        OptionalInt percent = counted && together.isPresent() ? OptionalInt.of(0) : together;
        return before.with(process.pid(), process.use().withUtilization(percent));
    }
}
