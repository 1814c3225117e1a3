package io.gpushare.plugin.allocate.offer;

import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the plugin if a pod has cards under a resource name that is not counted: these would be free. */
public final class UnknownNames {
    private static final Logger LOG = LoggerFactory.getLogger(UnknownNames.class);

    private final ResourceNames names;
    private final Runnable refused;
    private boolean checked;

    /** @param refused ends the plugin */
    public UnknownNames(ResourceNames names, Runnable refused) {
        this.names = names;
        this.refused = refused;
    }

    /** Checks once: names can't change later, and a pod of another device plugin must not end this one. */
    void check(NodeSnapshot now) {
        if (!checked) {
            checked = now.checkpointKnown();
            now.unknownResource(names.all()).ifPresent(this::refuse);
        }
    }

    private void refuse(String unknownResource) {
        LOG.error(
                "{}, which would be free under the present names: add that name to --former-card-resources or"
                    + " --former-memory-resources of both programs (there is none for cores), or delete the pods that"
                    + " request it",
                unknownResource);
        refused.run();
    }
}
