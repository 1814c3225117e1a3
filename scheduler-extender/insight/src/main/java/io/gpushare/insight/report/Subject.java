package io.gpushare.insight.report;

import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The pod about which is asked.
 *
 * @param controller null for none, or an unknown one
 * @param group its PodGroup, of which kube-scheduler may bind minCount pods or none; null for none
 * @param now when it is asked
 */
record Subject(
        PodRef pod,
        @Nullable PodController controller,
        @Nullable String group,
        PodDemand.Valid request,
        Instant now) {
    NodeDemand demand() {
        return request.onNode();
    }

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
