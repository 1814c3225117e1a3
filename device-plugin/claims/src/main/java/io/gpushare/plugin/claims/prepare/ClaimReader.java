package io.gpushare.plugin.claims.prepare;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.ResourceClaim;
import java.util.List;
import java.util.Optional;

/** Reads claims, and the pods that use them, at the API server. */
public interface ClaimReader {
    /** The claim of that name as it is now; empty if there is none. */
    Optional<ResourceClaim> claim(String namespace, String name) throws KubernetesException;

    /** What the containers of that pod use of claims. */
    List<ClaimUse> uses(PodRef pod) throws KubernetesException;
}
