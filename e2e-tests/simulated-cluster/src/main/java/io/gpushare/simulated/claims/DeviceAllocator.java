package io.gpushare.simulated.claims;

import static io.gpushare.simulated.claims.PodClaims.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.Quantities;
import io.gpushare.time.Machine;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds devices for one claim on one node as kube-scheduler does: the first that fit, in the order of the slice
 * (structured allocator of dynamic-resource-allocation 0.36).
 */
final class DeviceAllocator {
    private static final BigInteger MIB = BigInteger.ONE.shiftLeft(20);

    /** A device of the node, and where it is from. */
    private record Device(String driver, String pool, JsonNode document) {
        String name() {
            return text(document, "name");
        }

        String key() {
            return driver + "/" + pool + "/" + name();
        }

        boolean shared() {
            return document.path("allowMultipleAllocations").asBoolean();
        }
    }

    /** A request of a claim, once for each device that it counts. */
    private record Wanted(String request, JsonNode exactly) {}

    /** A device that was found, with the amount of each of its capacities. */
    private record Found(Wanted wanted, Device device, Map<String, BigDecimal> amounts) {}

    private final JsonNode claim;
    private final Map<String, JsonNode> classes;
    private final List<Device> devices = new ArrayList<>();
    private final Map<String, Map<String, BigDecimal>> used = new HashMap<>();
    private final List<Found> found = new ArrayList<>();

    /**
     * @param classes the specs of device classes by name
     * @param slices of the node, in order
     * @param allocations what claims have, also those whose allocation is not written yet
     */
    DeviceAllocator(JsonNode claim, Map<String, JsonNode> classes, List<JsonNode> slices, List<JsonNode> allocations) {
        this.claim = claim;
        this.classes = classes;
        for (JsonNode slice : slices) {
            JsonNode spec = slice.path("spec");
            spec.path("devices")
                    .forEach(device ->
                            devices.add(new Device(text(spec, "driver"), text(spec.path("pool"), "name"), device)));
        }
        for (JsonNode allocation : allocations) {
            for (JsonNode result : allocation.path("devices").path("results")) {
                used.merge(
                        text(result, "driver") + "/" + text(result, "pool") + "/" + text(result, "device"),
                        Quantities.of(result.path("consumedCapacity")),
                        DeviceAllocator::sum);
            }
        }
    }

    private static Map<String, BigDecimal> sum(@Nullable Map<String, BigDecimal> one, Map<String, BigDecimal> other) {
        Map<String, BigDecimal> sum = new HashMap<>(one == null ? Map.of() : one);
        other.forEach((name, amount) -> sum.merge(name, amount, BigDecimal::add));
        return sum;
    }

    /** The allocation for the status of the claim; empty if the devices of the node do not suffice. */
    Optional<ObjectNode> allocate(String node) {
        List<Wanted> wanted = new ArrayList<>();
        for (JsonNode request : claim.path("spec").path("devices").path("requests")) {
            JsonNode exactly = request.path("exactly");
            for (int i = 0; i < exactly.path("count").asInt(1); i++) {
                wanted.add(new Wanted(text(request, "name"), exactly));
            }
        }
        return search(wanted) ? Optional.of(allocation(node)) : Optional.empty();
    }

    private boolean search(List<Wanted> wanted) {
        if (found.size() == wanted.size()) {
            return true;
        }
        Wanted next = wanted.get(found.size());
        for (Device device : devices) {
            Optional<Map<String, BigDecimal>> amounts = amounts(next, device);
            if (amounts.isEmpty() || !matches(next, device)) {
                continue;
            }
            Map<String, BigDecimal> before = used.get(device.key());
            used.put(device.key(), sum(before, amounts.get()));
            found.add(new Found(next, device, amounts.get()));
            if (search(wanted)) {
                return true;
            }
            found.removeLast();
            if (before == null) {
                used.remove(device.key());
            } else {
                used.put(device.key(), before);
            }
        }
        return false;
    }

    /** What the request takes of each capacity of that device; empty if it does not fit. */
    private Optional<Map<String, BigDecimal>> amounts(Wanted wanted, Device device) {
        JsonNode selectors = classes.getOrDefault(text(wanted.exactly(), "deviceClassName"), ApiClient.document())
                .path("selectors");
        boolean another = found.stream()
                .anyMatch(each -> each.wanted().request().equals(wanted.request())
                        && each.device().equals(device));
        if (another
                || !classes.containsKey(text(wanted.exactly(), "deviceClassName"))
                || !DeviceSelector.select(selectors, device.driver(), device.document())
                || !DeviceSelector.select(wanted.exactly().path("selectors"), device.driver(), device.document())
                || !tolerated(wanted.exactly(), device)
                || (!device.shared() && used.containsKey(device.key()))) {
            return Optional.empty();
        }
        JsonNode requested = wanted.exactly().path("capacity").path("requests");
        JsonNode capacities = device.document().path("capacity");
        if (requested.properties().stream().anyMatch(each -> !capacities.has(each.getKey()))) {
            return Optional.empty();
        }
        if (!device.shared()) {
            return Optional.of(Map.of());
        }
        Map<String, BigDecimal> amounts = new HashMap<>();
        for (var capacity : capacities.properties()) {
            BigDecimal amount = amount(
                    capacity.getValue(), requested.path(capacity.getKey()).asText(""));
            BigDecimal left = Quantities.parse(text(capacity.getValue(), "value"))
                    .subtract(
                            used.getOrDefault(device.key(), Map.of()).getOrDefault(capacity.getKey(), BigDecimal.ZERO));
            if (amount.compareTo(left) > 0) {
                return Optional.empty();
            }
            amounts.put(capacity.getKey(), amount);
        }
        return Optional.of(amounts);
    }

    /** The default, or what is requested, rounded up to a step. */
    private static BigDecimal amount(JsonNode capacity, String requested) {
        JsonNode policy = capacity.path("requestPolicy");
        if (requested.isEmpty()) {
            return Quantities.parse(policy.path("default").asText(text(capacity, "value")));
        }
        BigDecimal amount = Quantities.parse(requested);
        JsonNode range = policy.path("validRange");
        if (range.isMissingNode()) {
            return Quantities.parse(policy.path("default").asText(text(capacity, "value")));
        }
        BigDecimal least = Quantities.parse(text(range, "min"));
        BigDecimal step = Quantities.parse(range.path("step").asText("1"));
        BigDecimal steps = amount.subtract(least).max(BigDecimal.ZERO).divide(step, 0, RoundingMode.UP);
        return least.add(steps.multiply(step));
    }

    private static boolean tolerated(JsonNode request, Device device) {
        return device.document()
                .path("taints")
                .valueStream()
                .allMatch(taint -> request.path("tolerations")
                        .valueStream()
                        .anyMatch(each ->
                                text(each, "key").isEmpty() || text(each, "key").equals(text(taint, "key"))));
    }

    /** Whether the device has the attributes that it must share with the claim's other devices. */
    private boolean matches(Wanted wanted, Device device) {
        for (JsonNode constraint : claim.path("spec").path("devices").path("constraints")) {
            String attribute = text(constraint, "matchAttribute");
            Set<String> requests = new HashSet<>();
            constraint.path("requests").forEach(each -> requests.add(each.asText()));
            String name = attribute.substring(attribute.indexOf('/') + 1);
            boolean same = !among(requests, wanted.request())
                    || found.stream()
                            .filter(each -> among(requests, each.wanted().request()))
                            .allMatch(each -> each.device()
                                    .document()
                                    .path("attributes")
                                    .path(name)
                                    .equals(device.document().path("attributes").path(name)));
            if (!attribute.isEmpty() && !same) {
                return false;
            }
        }
        return true;
    }

    private static boolean among(Set<String> requests, String request) {
        return requests.isEmpty() || requests.contains(request);
    }

    private ObjectNode allocation(String node) {
        ObjectNode allocation = ApiClient.document();
        ArrayNode results = allocation.putObject("devices").putArray("results");
        for (Found each : found) {
            ObjectNode result = results.addObject()
                    .put("request", each.wanted().request())
                    .put("driver", each.device().driver())
                    .put("pool", each.device().pool())
                    .put("device", each.device().name());
            if (each.device().shared()) {
                result.put("shareID", Machine.here().unique());
                ObjectNode consumed = result.putObject("consumedCapacity");
                each.amounts().forEach((name, amount) -> consumed.put(name, quantity(amount)));
            }
        }
        allocation
                .putObject("nodeSelector")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchFields")
                .addObject()
                .put("key", "metadata.name")
                .put("operator", "In")
                .putArray("values")
                .add(node);
        return allocation;
    }

    /** As the API server writes it: 3Gi, or a plain number. */
    private static String quantity(BigDecimal amount) {
        BigInteger[] mib = amount.toBigInteger().divideAndRemainder(MIB);
        return amount.signum() > 0 && mib[1].signum() == 0
                ? Quantities.canonical(mib[0] + "Mi")
                : mib[0].multiply(MIB).add(mib[1]).toString();
    }
}
