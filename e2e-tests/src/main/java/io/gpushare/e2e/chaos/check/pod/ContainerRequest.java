package io.gpushare.e2e.chaos.check.pod;

/**
 * The GPU request of one container.
 *
 * @param whole whether it requests whole cards; otherwise it requests units of memory on one card
 * @param amount the number of cards or units
 * @param profile of the MIG instances that it requests as whole cards; empty for others
 */
public record ContainerRequest(boolean whole, int amount, String profile) {
    private static final int MIB_PER_UNIT = 1024;
    private static final String TEMPLATE = "chaos-";

    /** The words in which a pod requests its cards. */
    public enum Way {
        RESOURCES,
        /** Resources too, in HAMi's words. */
        HAMI,
        /** A claim for each container, named like it, by the template of its {@link #template}. */
        CLAIMS
    }

    public static ContainerRequest memory(int units) {
        return new ContainerRequest(false, units, "");
    }

    public static ContainerRequest cards(int count) {
        return new ContainerRequest(true, count, "");
    }

    /** One MIG instance. */
    public static ContainerRequest instance(String profile) {
        return new ContainerRequest(true, 1, profile);
    }

    /** The container's {@code resources}, in JSON. */
    public String resources(Way way, String container) {
        return way == Way.CLAIMS
                ? "{\"claims\":[{\"name\":\"" + container + "\"}]}"
                : "{\"limits\":{" + limits(way == Way.HAMI) + "}}";
    }

    /** The name of the template of claims for this request. */
    public String template() {
        return TEMPLATE + (whole ? "cards-" : "units-") + amount;
    }

    /** The template of claims for this request. */
    public String templateManifest() {
        String exactly = whole
                ? "deviceClassName: gpushare-card, count: " + amount
                : "deviceClassName: gpushare, capacity: {requests: {memory: " + amount + "Gi}}";
        return """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: %s}
            spec: {spec: {devices: {requests: [{name: gpu, exactly: {%s}}]}}}
            """.formatted(template(), exactly);
    }

    private String limits(boolean hami) {
        if (!profile.isEmpty()) {
            return "\"nvidia.com/mig-" + profile + "\":\"" + amount + "\"";
        }
        if (hami) {
            return whole
                    ? "\"nvidia.com/gpu\":\"" + amount + "\""
                    : "\"nvidia.com/gpu\":\"1\",\"nvidia.com/gpumem\":\"" + amount * MIB_PER_UNIT + "\"";
        }
        return (whole ? "\"aliyun.com/gpu-count\":\"" : "\"aliyun.com/gpu-mem\":\"") + amount + "\"";
    }

    /** The request as the containers carry it in their environment. */
    public String text() {
        return (whole ? "cards:" : "units:") + amount;
    }

    public static ContainerRequest parse(String text) {
        return new ContainerRequest(
                text.startsWith("cards:"), Integer.parseInt(text.substring(text.indexOf(':') + 1)), "");
    }
}
