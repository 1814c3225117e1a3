package io.gpushare.model.request;

import static java.math.RoundingMode.CEILING;
import static java.math.RoundingMode.FLOOR;

import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.text.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

/**
 * Decodes cpu and memory. Only kube-scheduler decides by them, so an invalid quantity counts as none.
 */
public final class HostResourcesCodec {
    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";
    private static final BigDecimal MIB = BigDecimal.TWO.pow(20);
    // More than any node has. Sums of such amounts fit a long.
    private static final BigDecimal MOST = BigDecimal.TWO.pow(40);

    private HostResourcesCodec() {}

    /**
     * The most that a pod's containers request at one time, as Kubernetes sums it, without the overhead of a runtime
     * class.
     */
    public static HostResources requested(List<ContainerResources> containers) {
        return new HostResources(
                Demand.peak(containers, ContainerResources::role, each -> cpuMilli(each.quantities(), CEILING)),
                Demand.peak(containers, ContainerResources::role, each -> memoryMib(each.quantities(), CEILING)));
    }

    /** The cpu and memory in a node's {@code status.allocatable}. */
    public static HostResources allocatable(Map<String, String> quantities) {
        return new HostResources(cpuMilli(quantities, FLOOR), memoryMib(quantities, FLOOR));
    }

    private static long cpuMilli(Map<String, String> quantities, RoundingMode rounding) {
        return whole(amount(quantities, CPU).movePointRight(3).setScale(0, rounding));
    }

    private static long memoryMib(Map<String, String> quantities, RoundingMode rounding) {
        return whole(amount(quantities, MEMORY).divide(MIB, 0, rounding));
    }

    private static BigDecimal amount(Map<String, String> quantities, String resource) {
        return Quantity.parse(quantities.getOrDefault(resource, "0")).orElse(BigDecimal.ZERO);
    }

    private static long whole(BigDecimal amount) {
        return amount.min(MOST).longValue();
    }
}
