package io.gpushare.model.request;

import io.gpushare.model.card.MemoryUnit;
import java.util.List;

/** The front ends, in the order in which they read a pod. */
final class FrontEnds {
    /** What they read on pods is the same in every cluster. */
    static final List<FrontEnd> ALL = in(ResourceNames.DEFAULT.withHami(), MemoryUnit.GIB);

    private FrontEnds() {}

    /** In a cluster with these names of resources, whose nodes have that memory unit. */
    static List<FrontEnd> in(ResourceNames names, MemoryUnit unit) {
        return List.of(new OwnRequests(names), new HamiRequests(names, unit));
    }
}
