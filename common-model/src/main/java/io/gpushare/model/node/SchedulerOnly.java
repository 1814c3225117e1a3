package io.gpushare.model.node;

import java.util.Locale;
import java.util.Set;

/** What a pod may require that only kube-scheduler can check: it depends on other pods, on volumes or on claims. */
public enum SchedulerOnly {
    POD_AFFINITY("a required affinity to other pods"),
    TOPOLOGY_SPREAD("a required topology spread"),
    HOST_PORT("a port of the node"),
    PLACED_VOLUME("a volume that may be bound to some nodes"),
    RESOURCE_CLAIM("a resource claim"),
    OVERHEAD("the overhead of a runtime class");

    private static final Set<String> PLACED_VOLUMES = Set.of(
            "persistentvolumeclaim",
            "ephemeral",
            "iscsi",
            "rbd",
            "gcepersistentdisk",
            "awselasticblockstore",
            "azuredisk",
            "cinder");

    private final String words;

    SchedulerOnly(String words) {
        this.words = words;
    }

    /** Whether kube-scheduler checks where a volume with that field in the API can be. */
    public static boolean placed(String volumeField) {
        return PLACED_VOLUMES.contains(volumeField.toLowerCase(Locale.ROOT));
    }

    /** The requirement in words for users. */
    @Override
    public String toString() {
        return words;
    }
}
