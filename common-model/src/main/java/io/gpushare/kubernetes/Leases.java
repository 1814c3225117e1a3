package io.gpushare.kubernetes;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.gpushare.kubernetes.wire.Responses;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.util.PatchUtils;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/** Reads and writes one Lease of coordination.k8s.io/v1. Of two writes to the same version only one succeeds. */
public final class Leases {
    // The API server parses a MicroTime with exactly six digits (apimachinery: RFC3339Micro).
    private static final DateTimeFormatter MICRO =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final ApiClient client;
    private final CoordinationV1Api coordination;
    private final String namespace;
    private final String name;
    private final Duration deadline;

    Leases(ApiClient client, String namespace, String name, Duration deadline) {
        this.client = client;
        this.coordination = new CoordinationV1Api(client);
        this.namespace = namespace;
        this.name = name;
        this.deadline = deadline;
    }

    /** The Lease as it is now; empty if there is none. */
    public Optional<LeaseState> read() throws KubernetesException {
        try {
            Call call =
                    limited(coordination.readNamespacedLease(name, namespace).buildCall(null));
            return Optional.of(state(Responses.of(() -> client.<JsonObject>execute(call, JsonObject.class))
                    .getData()));
        } catch (ApiException e) {
            if (e.getCode() == 404) {
                return Optional.empty();
            }
            throw KubernetesException.of("reading lease " + namespace + "/" + name, e);
        }
    }

    /** Creates it without a holder. It fails with 409 if it exists. */
    public void create() throws KubernetesException {
        create(new V1ObjectMeta());
    }

    /** Creates it without a holder; Kubernetes deletes it together with the node. It fails with 409 if it exists. */
    public void create(NodeState owner) throws KubernetesException {
        create(new V1ObjectMeta()
                .addOwnerReferencesItem(new V1OwnerReference()
                        .apiVersion("v1")
                        .kind("Node")
                        .name(owner.name())
                        .uid(owner.uid())));
    }

    private void create(V1ObjectMeta metadata) throws KubernetesException {
        V1Lease lease = new V1Lease()
                .apiVersion("coordination.k8s.io/v1")
                .kind("Lease")
                .metadata(metadata.name(name).namespace(namespace));
        try {
            client.execute(
                    limited(coordination.createNamespacedLease(namespace, lease).buildCall(null)));
        } catch (ApiException e) {
            throw KubernetesException.of("creating lease " + namespace + "/" + name, e);
        }
    }

    /** Acquires or renews it. It fails with 409 if it has changed since {@code before}. */
    public LeaseState hold(LeaseState before, String holder, Duration length, Instant now) throws KubernetesException {
        boolean taken = !before.holder().equals(holder);
        JsonObject spec = held(holder, length, now);
        if (taken) {
            spec.addProperty("acquireTime", MICRO.format(now));
            spec.addProperty("leaseTransitions", before.transitions() + 1);
        }
        return write(before.version(), spec);
    }

    /** Renews it for that holder, whoever held it before; empty if there is none. */
    public Optional<LeaseState> renew(String holder, Duration length, Instant now) throws KubernetesException {
        try {
            return Optional.of(write(null, held(holder, length, now)));
        } catch (KubernetesException e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static JsonObject held(String holder, Duration length, Instant now) {
        JsonObject spec = new JsonObject();
        spec.addProperty("holderIdentity", holder);
        spec.addProperty("leaseDurationSeconds", length.toSeconds());
        spec.addProperty("renewTime", MICRO.format(now));
        return spec;
    }

    /** Releases it, so that another holder can acquire it at once. */
    public void release(LeaseState before) throws KubernetesException {
        JsonObject spec = new JsonObject();
        spec.add("holderIdentity", JsonNull.INSTANCE);
        write(before.version(), spec);
    }

    /** @param version the version that it must have; null for any */
    private LeaseState write(@Nullable String version, JsonObject spec) throws KubernetesException {
        JsonObject document = new JsonObject();
        if (version != null) {
            JsonObject metadata = new JsonObject();
            metadata.addProperty("resourceVersion", version);
            document.add("metadata", metadata);
        }
        document.add("spec", spec);
        try {
            V1Patch patch = new V1Patch(document.toString());
            return state(Responses.of(() -> PatchUtils.patch(
                    JsonObject.class,
                    () -> limited(coordination
                            .patchNamespacedLease(name, namespace, patch)
                            .buildCall(null)),
                    V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
                    client)));
        } catch (ApiException e) {
            throw KubernetesException.of("writing lease " + namespace + "/" + name, e);
        }
    }

    private Call limited(Call call) {
        return KubernetesApi.within(deadline, call);
    }

    private static LeaseState state(JsonObject lease) {
        JsonObject spec = lease.has("spec") ? lease.getAsJsonObject("spec") : new JsonObject();
        return new LeaseState(
                text(lease.getAsJsonObject("metadata").get("resourceVersion")),
                text(spec.get("holderIdentity")),
                number(spec.get("leaseDurationSeconds")),
                number(spec.get("leaseTransitions")));
    }

    private static String text(@Nullable JsonElement value) {
        return value == null || value.isJsonNull() ? "" : value.getAsString();
    }

    private static int number(@Nullable JsonElement value) {
        return value == null || value.isJsonNull() ? 0 : value.getAsInt();
    }
}
