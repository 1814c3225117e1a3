package io.gpushare.model.codec;

import io.gpushare.model.card.ShareKind;
import java.util.regex.Pattern;

/** The names of the extended resources in this cluster. */
public record ResourceNames(String memory, String cards) {
    // Kubernetes' IsExtendedResourceName: a domain that is not its own, "/", and a name.
    private static final Pattern FORM =
            Pattern.compile("[a-z0-9]([a-z0-9.-]{0,238}[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");

    /** gpushare's names, so that its users' manifests work unchanged. */
    public static final ResourceNames DEFAULT = new ResourceNames("aliyun.com/gpu-mem", "aliyun.com/gpu-count");

    public ResourceNames {
        checked(memory);
        checked(cards);
        if (memory.equals(cards)) {
            throw new IllegalArgumentException(
                    "the memory resource and the card resource must have different names, both are '" + memory + "'");
        }
    }

    /** The resource of that kind of share. */
    public String of(ShareKind kind) {
        return switch (kind) {
            case MEMORY -> memory;
            case WHOLE_CARDS -> cards;
        };
    }

    /** The name, if it has the form of an extended resource's; otherwise throws IllegalArgumentException with a sentence. */
    public static String checked(String name) {
        if (!FORM.matcher(name).matches() || name.contains("kubernetes.io/") || name.startsWith("requests.")) {
            throw new IllegalArgumentException("'" + name
                    + "' is not the name of an extended resource: write <domain>/<name>, such as aliyun.com/gpu-mem,"
                    + " with a domain outside kubernetes.io");
        }
        return name;
    }
}
