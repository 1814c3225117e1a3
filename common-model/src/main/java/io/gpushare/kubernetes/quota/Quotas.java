package io.gpushare.kubernetes.quota;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.wire.ObjectList;
import io.gpushare.kubernetes.wire.ObjectReader;
import io.gpushare.kubernetes.wire.QuotaObject;
import io.gpushare.kubernetes.wire.Responses;
import io.gpushare.model.Quota;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.Quantity;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.model.text.Printable;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/** Lists the ResourceQuotas of all namespaces that limit shares of cards. */
public final class Quotas {
    private static final int PAGE = 500;
    private static final int MOST = 5000;
    private static final int LONGEST_SCOPE = 80;

    private final ApiClient calls;

    public Quotas(ApiClient calls) {
        this.calls = calls;
    }

    /** The quotas on these resources, at most 5,000. It fails with 403 without the permission. */
    public List<Quota> list(ResourceNames names) throws KubernetesException {
        List<Quota> all = new ArrayList<>();
        @Nullable String next = null;
        do {
            ObjectList<QuotaObject> page = page(next);
            page.getItems().forEach(object -> all.addAll(read(object, names)));
            next = page.next();
        } while (next != null && all.size() < MOST);
        return all.size() > MOST ? List.copyOf(all.subList(0, MOST)) : List.copyOf(all);
    }

    private ObjectList<QuotaObject> page(@Nullable String next) throws KubernetesException {
        try {
            Call call = new CoreV1Api(calls)
                    .listResourceQuotaForAllNamespaces()
                    .limit(PAGE)
                    ._continue(next)
                    .buildCall(null);
            return Responses.read(call, ObjectReader.QUOTAS::list);
        } catch (ApiException e) {
            throw KubernetesException.of("listing the ResourceQuotas", e);
        }
    }

    /** Until Kubernetes' controller has counted its pods, a quota has no status and is left out. */
    private static List<Quota> read(QuotaObject object, ResourceNames names) {
        List<Quota> all = new ArrayList<>();
        for (ShareKind kind : names.kinds()) {
            String resource = names.of(kind);
            OptionalLong hard = amount(object.hard(), resource);
            OptionalLong used = amount(object.used(), resource);
            if (hard.isPresent() && used.isPresent()) {
                String scope = Printable.line(object.scope(), LONGEST_SCOPE);
                all.add(new Quota(object.namespace(), object.name(), kind, scope, used.getAsLong(), hard.getAsLong()));
            }
        }
        return all;
    }

    /** A fraction of a unit is of no use to a pod. */
    private static OptionalLong amount(Map<String, String> amounts, String resource) {
        return Quantity.parse(amounts.getOrDefault(resource, ""))
                .map(value -> value.min(BigDecimal.valueOf(Long.MAX_VALUE))
                        .setScale(0, RoundingMode.DOWN)
                        .longValueExact())
                .map(OptionalLong::of)
                .orElse(OptionalLong.empty());
    }
}
