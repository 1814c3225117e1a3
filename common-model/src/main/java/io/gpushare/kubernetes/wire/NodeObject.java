package io.gpushare.kubernetes.wire;

import io.gpushare.model.node.Taint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node in the API's JSON form. */
public final class NodeObject extends ApiObject {
    @Nullable
    Spec spec;

    @Nullable
    NodeStatus status;

    static final class Spec {
        boolean unschedulable;

        @Nullable
        List<TaintObject> taints;
    }

    static final class TaintObject {
        @Nullable
        String key;

        @Nullable
        String value;

        @Nullable
        String effect;
    }

    static final class NodeStatus {
        @Nullable
        Map<String, String> allocatable;

        @Nullable
        List<Address> addresses;
    }

    static final class Address {
        @Nullable
        String type;

        @Nullable
        String address;
    }

    @Override
    void strip() {
        // Each field of a node is used.
    }

    @Override
    public void forget() {
        super.forget();
        spec = null;
        status = null;
    }

    public Map<String, String> labels() {
        Map<String, String> labels = meta().getLabels();
        return labels == null ? Map.of() : labels;
    }

    /** The quantities of {@code status.allocatable}, by resource. */
    public Map<String, String> allocatable() {
        return status == null || status.allocatable == null ? Map.of() : status.allocatable;
    }

    /** Its taints, with {@link Taint#UNSCHEDULABLE} if it is cordoned. */
    public List<Taint> taints() {
        List<Taint> taints = new ArrayList<>();
        if (spec != null) {
            if (spec.unschedulable) {
                taints.add(Taint.UNSCHEDULABLE);
            }
            for (TaintObject each : spec.taints == null ? List.<TaintObject>of() : spec.taints) {
                taints.add(new Taint(text(each.key), text(each.value), text(each.effect)));
            }
        }
        return taints;
    }

    /** Its InternalIP; null while it has none. */
    public @Nullable String address() {
        if (status != null && status.addresses != null) {
            for (Address each : status.addresses) {
                if ("InternalIP".equals(each.type)) {
                    return each.address;
                }
            }
        }
        return null;
    }
}
