package io.gpushare.kubernetes.wire;

import org.jspecify.annotations.Nullable;

/** A Lease in the API's JSON form. */
public final class LeaseObject extends ApiObject {
    @Nullable
    Spec spec;

    static final class Spec {
        @Nullable
        String holderIdentity;
    }

    /** Whether it has a holder. */
    public boolean held() {
        return spec != null && spec.holderIdentity != null && !spec.holderIdentity.isEmpty();
    }

    /** It changes with every write. */
    public String version() {
        return text(meta().getResourceVersion());
    }

    @Override
    void strip() {
        // Few fields, and none that tenants write.
    }
}
