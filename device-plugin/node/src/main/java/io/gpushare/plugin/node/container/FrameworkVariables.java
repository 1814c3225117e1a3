package io.gpushare.plugin.node.container;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.request.ContainerResources;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The variables by which a program learns its part of a card's memory: two of this project, and those that frameworks
 * read themselves. CUDA reports the whole card as the total to most programs, and frameworks take a fraction of that. A
 * variable that the pod sets itself counts instead.
 */
final class FrameworkVariables {
    /**
     * What a program's context takes of its limit before it allocates anything. On an H100 and an H200 it was 514 MiB
     * with MPS, and 518 without.
     */
    private static final Memory CONTEXT = Memory.ofMib(518);

    /** JAX does not start with both names. */
    static final String FORMER_JAX_FRACTION = "XLA_PYTHON_CLIENT_MEM_FRACTION";

    private static final int DIGITS = 4;

    /** What a container may use of one card, as a program sees it. */
    private record Part(Card card, Memory limit) {
        /** What is left for allocations beside the context. */
        long usable() {
            return limit.bytes() - CONTEXT.bytes();
        }

        /** That, as a fraction of the total memory that CUDA reports. */
        BigDecimal fraction() {
            long total = card.isolation().inForce().showsShareAsTotal()
                    ? limit.bytes()
                    : card.usableMemory().bytes();
            return BigDecimal.valueOf(usable()).divide(BigDecimal.valueOf(total), DIGITS, RoundingMode.DOWN);
        }
    }

    private FrameworkVariables() {}

    /**
     * The variables of a container with these shares; none if it has whole cards. Of several cards the smallest amount
     * counts.
     *
     * @param ownJaxFraction whether the container sets {@link ContainerResources#JAX_FRACTION} itself
     */
    static Map<String, String> of(ContainerAllocation allocation, Inventory inventory, boolean ownJaxFraction) {
        List<Part> parts = parts(allocation, inventory).toList();
        if (parts.isEmpty()) {
            return Map.of();
        }
        Map<String, String> variables = new LinkedHashMap<>();
        Part smallest = parts.stream()
                .min(Comparator.comparingLong(part -> part.limit().bytes()))
                .orElseThrow();
        variables.put("GPUSHARE_MEMORY_MIB", String.valueOf(smallest.limit().mib()));
        BigDecimal fraction = parts.stream()
                .map(Part::fraction)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        if (fraction.signum() > 0) {
            variables.put("GPUSHARE_MEMORY_FRACTION", fraction.toPlainString());
            variables.putAll(frameworks(parts, fraction.toPlainString(), smallest.usable(), ownJaxFraction));
        }
        return variables;
    }

    private static Stream<Part> parts(ContainerAllocation allocation, Inventory inventory) {
        return allocation.visibleCards().stream()
                .filter(id -> allocation.on(id).units() > 0)
                .flatMap(id -> inventory.card(id).stream())
                .map(card -> new Part(
                        card,
                        new Memory(inventory.unit().size().bytes()
                                * allocation.on(card.id()).units())));
    }

    private static Map<String, String> frameworks(
            List<Part> parts, String fraction, long usable, boolean ownJaxFraction) {
        Map<String, String> variables = new LinkedHashMap<>();
        if (!ownJaxFraction) {
            variables.put(FORMER_JAX_FRACTION, fraction);
            // Versions of JAX that know both names refuse both together: this one overrides that of an image.
            variables.put(ContainerResources.JAX_FRACTION, "");
        }
        // TGI takes what is free, less the rest of the total. With MPS what is free is already the container's alone.
        if (parts.stream().noneMatch(part -> part.card().isolation().inForce() == Isolation.MPS)) {
            variables.put("CUDA_MEMORY_FRACTION", fraction);
        }
        variables.put("FLAGS_fraction_of_gpu_memory_to_use", fraction);
        variables.put("FLAGS_gpu_memory_limit_mb", String.valueOf(new Memory(usable).mib()));
        variables.put("CUPY_GPU_MEMORY_LIMIT", String.valueOf(usable));
        variables.put("TF_FORCE_GPU_ALLOW_GROWTH", "true");
        return variables;
    }
}
