package io.gpushare.kubernetes.wire;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.ClaimState.Constraints;
import io.gpushare.model.claims.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A ResourceClaim in the API's JSON form, reduced to what is about our cards. */
public final class ClaimStateJson {
    /** A claim has at most 256; the first of them that runs is looked for. */
    private static final int MOST_PODS = 32;
    /** The attribute of slices by which devices are about the same card. */
    private static final String UUID = ClaimDecoder.DRIVER + "/uuid";
    /** The API's own limits of requests and results. */
    private static final int MOST = 32;

    private ClaimStateJson() {}

    public static ClaimState read(JsonNode claim) {
        ResourceClaim all = ClaimJson.read(claim);
        JsonNode devices = claim.path("spec").path("devices");
        List<ResourceClaim.Result> ours = all.results().stream()
                .filter(result -> result.driver().equals(ClaimDecoder.DRIVER) && !result.adminAccess())
                .limit(MOST)
                .toList();
        // One that got an alternative (firstAvailable) of another driver waits for none of our cards.
        boolean elsewhere = claim.path("status").hasNonNull("allocation") && ours.isEmpty();
        List<ClaimState.Request> requests = devices.path("requests")
                .valueStream()
                .filter(_ -> !elsewhere)
                .flatMap(request -> request(request).stream())
                .limit(MOST)
                .toList();
        return new ClaimState(
                new ResourceClaim(
                        all.uid(),
                        all.namespace(),
                        all.name(),
                        all.pods().stream().limit(MOST_PODS).toList(),
                        ours,
                        List.of()),
                requests,
                constraints(devices.path("constraints"), requests));
    }

    private static Constraints constraints(JsonNode constraints, List<ClaimState.Request> requests) {
        if (constraints.isEmpty()) {
            return Constraints.NONE;
        }
        JsonNode only = constraints.path(0);
        Set<String> named =
                only.path("requests").valueStream().map(JsonNode::asText).collect(Collectors.toSet());
        Set<String> shares = requests.stream()
                .filter(request -> request.memory() != null && request.count() == 1)
                .map(ClaimState.Request::name)
                .collect(Collectors.toSet());
        boolean all = named.isEmpty() ? shares.size() == requests.size() : named.equals(shares);
        return constraints.size() == 1 && text(only, "matchAttribute").equals(UUID) && all
                ? Constraints.ONE_CARD
                : Constraints.OTHER;
    }

    private static Optional<ClaimState.Request> request(JsonNode request) {
        JsonNode alternatives = request.path("firstAvailable");
        JsonNode asked = alternatives.isEmpty() ? request.path("exactly") : alternatives.path(0);
        String deviceClass = Json.shared(asked, "deviceClassName");
        if (!ClaimState.ours(deviceClass) || asked.path("adminAccess").asBoolean()) {
            return Optional.empty();
        }
        JsonNode capacity = asked.path("capacity").path("requests");
        return Optional.of(new ClaimState.Request(
                text(request, "name"),
                deviceClass,
                text(asked, "allocationMode").equals("All")
                        ? 0
                        : Math.max(1, asked.path("count").asInt(1)),
                Json.sharedOrNull(capacity, "memory"),
                Json.sharedOrNull(capacity, "cores"),
                !asked.path("selectors").isEmpty(),
                !alternatives.isEmpty(),
                !asked.path("tolerations").isEmpty()));
    }
}
