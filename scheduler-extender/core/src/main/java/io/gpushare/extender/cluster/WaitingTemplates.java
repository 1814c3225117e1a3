package io.gpushare.extender.cluster;

import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The templates of claims that unbound pods name: Kubernetes makes the claims before it binds them. */
public final class WaitingTemplates {
    private final Map<PodRef, List<String>> named = new ConcurrentHashMap<>();

    void seen(PodState pod) {
        if (pod.scheduling().templates().isEmpty()) {
            named.remove(pod.ref());
        } else {
            named.put(pod.ref(), pod.scheduling().templates());
        }
    }

    void gone(PodRef pod) {
        named.remove(pod);
    }

    /** Those of each such pod, as they are now. */
    public Map<PodRef, List<String>> now() {
        return Map.copyOf(named);
    }
}
