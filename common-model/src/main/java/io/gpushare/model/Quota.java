package io.gpushare.model;

import io.gpushare.model.card.ShareKind;
import java.util.Objects;

/**
 * What the pods of a namespace may request of one kind of share by a ResourceQuota, and what they request.
 *
 * @param name of the ResourceQuota
 * @param scope which pods count, in the words of its scopes; empty for all
 * @param used requested by pods that have not ended, waiting ones included, in units, cards or percent
 * @param hard the most; may be less than {@code used}, because a quota evicts nothing
 */
public record Quota(String namespace, String name, ShareKind kind, String scope, long used, long hard) {
    public Quota {
        Objects.requireNonNull(namespace);
        Objects.requireNonNull(name);
        Objects.requireNonNull(kind);
        Objects.requireNonNull(scope);
    }
}
