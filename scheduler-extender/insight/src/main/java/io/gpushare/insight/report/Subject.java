package io.gpushare.insight.report;

import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import org.jspecify.annotations.Nullable;

/**
 * The pod about which is asked.
 *
 * @param controller null for none, or an unknown one
 */
record Subject(PodRef pod, @Nullable PodController controller, NodeDemand demand) {
    /** Whether both are pods of one Deployment, of which this one has another template. */
    boolean replaces(PodRef other, @Nullable PodController of) {
        return controller != null
                && of != null
                && pod.namespace().equals(other.namespace())
                && !controller.uid().equals(of.uid())
                && controller.deployment().isPresent()
                && controller.deployment().equals(of.deployment());
    }
}
