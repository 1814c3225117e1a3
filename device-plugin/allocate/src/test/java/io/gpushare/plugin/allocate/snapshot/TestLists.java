package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.plugin.node.pod.PodName;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Lists of pod-resources for tests. */
public final class TestLists {
    private TestLists() {}

    /** The list if these pods have no devices. */
    public static PodResourcesList listed(String... names) {
        return new PodResourcesList(
                Arrays.stream(names).collect(Collectors.toMap(name -> new PodName("default", name), _ -> Map.of())));
    }

    /** The list if that container has these devices. */
    public static PodResourcesList withDevices(String name, String container, String... ids) {
        return new PodResourcesList(Map.of(new PodName("default", name), Map.of(container, Set.of(ids))));
    }
}
