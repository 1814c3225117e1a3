package io.gpushare.model.claims;

import io.gpushare.model.claims.ResourceClaim.Result;
import io.gpushare.model.text.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the API server requires of a slice, and what kube-scheduler's allocator does with it: the rules of
 * {@code structured/internal/incubating} in k8s.io/dynamic-resource-allocation of 1.36, for one node and one driver. It
 * has no idea of cards.
 */
final class Allocator {
    private final Map<String, List<Result>> claims = new LinkedHashMap<>();
    private List<Map<String, Object>> devices = List.of();

    /** Replaces the pool's slices, as one generation of them. */
    void publish(List<Map<String, Object>> specs) {
        Set<Object> names = new HashSet<>();
        devices = new ArrayList<>();
        for (Map<String, Object> spec : specs) {
            List<Map<String, Object>> part = list(spec, "devices");
            require(Objects.equals(map(spec, "pool").get("resourceSliceCount"), specs.size()), "count of slices");
            require(part.size() <= 64, "devices of a slice with taints");
            part.forEach(device -> {
                require(String.valueOf(device.get("name")).matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"), "DNS label");
                require(names.add(device.get("name")), "unique name");
                require(
                        map(device, "attributes").size()
                                        + map(device, "capacity").size()
                                <= 32,
                        "attributes");
                require(list(device, "taints").size() <= 4, "taints");
                map(device, "attributes").values().forEach(Allocator::attribute);
                map(device, "capacity").values().forEach(Allocator::capacity);
            });
            devices.addAll(part);
        }
    }

    private static void attribute(Object attribute) {
        Map<String, Object> value = cast(attribute);
        require(value.size() == 1, "one value");
        require(String.valueOf(value.getOrDefault("string", "")).length() <= 64, "length of a text");
        require(
                String.valueOf(value.getOrDefault("version", "0.0.0"))
                        .matches("(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)"),
                "semantic version");
    }

    private static void capacity(Object capacity) {
        Map<String, Object> all = cast(capacity);
        BigDecimal value = number(all.get("value"));
        Map<String, Object> policy = map(all, "requestPolicy");
        BigDecimal byDefault = number(policy.get("default"));
        if (policy.containsKey("validValues")) {
            List<BigDecimal> valid = Allocator.<String>listOf(policy.getOrDefault("validValues", List.of())).stream()
                    .map(Allocator::number)
                    .toList();
            require(valid.contains(byDefault) && valid.stream().allMatch(each -> each.compareTo(value) <= 0), "values");
            return;
        }
        Map<String, Object> range = map(policy, "validRange");
        BigDecimal min = number(range.get("min"));
        BigDecimal max = number(range.get("max"));
        BigDecimal step = number(range.get("step"));
        require(min.add(step).compareTo(value) <= 0, "one step is larger than the value");
        require(max.compareTo(value) <= 0 && byDefault.compareTo(max) <= 0 && byDefault.compareTo(min) >= 0, "order");
        require(max.subtract(min).remainder(step).signum() == 0, "max is no step");
        require(byDefault.subtract(min).remainder(step).signum() == 0, "default is no step");
    }

    /** Allocates different devices to one request, each with those amounts; returns whether it could. */
    boolean allocate(String claim, int count, Map<String, Long> amounts) {
        List<Result> results = new ArrayList<>();
        for (Map<String, Object> device : devices) {
            if (results.size() < count && list(device, "taints").isEmpty()) {
                consumed(device, amounts)
                        .ifPresent(consumed -> results.add(new Result(
                                "gpu",
                                "gpu.example.com",
                                "node-1",
                                String.valueOf(device.get("name")),
                                false,
                                consumed,
                                "")));
            }
        }
        if (results.size() < count) {
            return false;
        }
        claims.put(claim, results);
        return true;
    }

    void release(String claim) {
        claims.remove(claim);
    }

    List<Result> results(String claim) {
        return claims.getOrDefault(claim, List.of());
    }

    private Optional<Map<String, String>> consumed(Map<String, Object> device, Map<String, Long> amounts) {
        List<Map<String, String>> before = claims.values().stream()
                .flatMap(List::stream)
                .filter(result -> result.device().equals(device.get("name")))
                .map(Result::consumed)
                .toList();
        if (!Boolean.TRUE.equals(device.get("allowMultipleAllocations"))) {
            return before.isEmpty() && amounts.isEmpty() ? Optional.of(Map.of()) : Optional.empty();
        }
        Map<String, Object> capacities = map(device, "capacity");
        if (!capacities.keySet().containsAll(amounts.keySet())) {
            return Optional.empty();
        }
        Map<String, String> consumed = new HashMap<>();
        for (Map.Entry<String, Object> capacity : capacities.entrySet()) {
            Map<String, Object> all = cast(capacity.getValue());
            BigDecimal amount = rounded(amounts.get(capacity.getKey()), map(all, "requestPolicy"));
            BigDecimal sum = before.stream()
                    .map(each -> number(each.getOrDefault(capacity.getKey(), "0")))
                    .reduce(amount, BigDecimal::add);
            if (sum.compareTo(number(all.get("value"))) > 0) {
                return Optional.empty();
            }
            consumed.put(capacity.getKey(), amount.toPlainString());
        }
        return Optional.of(consumed);
    }

    private static BigDecimal rounded(@Nullable Long requested, Map<String, Object> policy) {
        if (requested == null) {
            return number(policy.get("default"));
        }
        BigDecimal amount = BigDecimal.valueOf(requested);
        if (policy.containsKey("validValues")) {
            return Allocator.<String>listOf(policy.getOrDefault("validValues", List.of())).stream()
                    .map(Allocator::number)
                    .filter(valid -> amount.compareTo(valid) <= 0)
                    .findFirst()
                    .orElse(amount);
        }
        Map<String, Object> range = map(policy, "validRange");
        BigDecimal min = number(range.get("min"));
        BigDecimal step = number(range.get("step"));
        BigDecimal[] steps = amount.subtract(min).max(BigDecimal.ZERO).divideAndRemainder(step);
        return min.add(step.multiply(steps[0].add(steps[1].signum() > 0 ? BigDecimal.ONE : BigDecimal.ZERO)));
    }

    private static BigDecimal number(@Nullable Object quantity) {
        return Quantity.parse(String.valueOf(quantity)).orElseThrow();
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new AssertionError("the API server refuses the slice: " + rule);
        }
    }

    private static Map<String, Object> map(Map<String, Object> parent, String field) {
        return cast(parent.getOrDefault(field, Map.of()));
    }

    private static List<Map<String, Object>> list(Map<String, Object> parent, String field) {
        return listOf(parent.getOrDefault(field, List.of()));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> cast(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> listOf(Object value) {
        return (List<T>) value;
    }
}
