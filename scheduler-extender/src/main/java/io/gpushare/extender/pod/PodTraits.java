package io.gpushare.extender.pod;

/**
 * What else a pod states for kube-scheduler, beside its resources, as far as this extender must know.
 *
 * @param preferences whether it states a preference that kube-scheduler scores: a preferred affinity or a soft topology spread
 * @param relations whether it requires something that depends on other pods or volumes, which only kube-scheduler can check
 */
public record PodTraits(boolean preferences, boolean relations) {
    public static final PodTraits NONE = new PodTraits(false, false);
}
