package io.gpushare.extender.ledger;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The resources that kubelets know and of which they have no healthy device.
 *
 * @param byNode their names by node, for nodes that have some
 */
record ExhaustedDevices(Map<String, Set<String>> byNode) {
    /** The nodes that have none of one of these resources. */
    Set<String> nodes(Set<String> resources) {
        return resources.isEmpty()
                ? Set.of()
                : byNode.entrySet().stream()
                        .filter(node -> !Collections.disjoint(node.getValue(), resources))
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet());
    }
}
