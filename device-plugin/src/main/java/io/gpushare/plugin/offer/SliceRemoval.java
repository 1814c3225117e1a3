package io.gpushare.plugin.offer;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.ResourceApi;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes the slices of a node whose cards are not offered by claims any more: kube-scheduler would allocate them. */
public final class SliceRemoval {
    private static final Logger LOG = LoggerFactory.getLogger(SliceRemoval.class);
    private static final int NOT_FOUND = 404;

    private final ResourceApi resources;
    private final String driver;
    private final String node;
    private boolean done;

    public SliceRemoval(ResourceApi resources, String driver, String node) {
        this.resources = resources;
        this.driver = driver;
        this.node = node;
    }

    /** Deletes them, if that was not done yet; returns why that fails, as a part of a sentence. */
    public Optional<String> problem() {
        try {
            if (!done) {
                for (ResourceApi.Slice slice : resources.slices(driver, node)) {
                    resources.delete(slice.name());
                    LOG.info("deleted slice {}: this node offers its cards by the device plugin", slice.name());
                }
                done = true;
            }
            return Optional.empty();
        } catch (KubernetesException e) {
            // An API server before 1.34 has none.
            done = e.status() == NOT_FOUND;
            return done
                    ? Optional.empty()
                    : Optional.of("this node's ResourceSlices can't be deleted: " + e.getMessage());
        }
    }
}
