package io.gpushare.extender.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Random requests while nodes come and change: each response says what the verb decided. */
class FilterResponseProperties {
    private static final int NODES = 3000;
    private static final int REQUESTS = 30;
    private static final DemandCodec DEMANDS = new DemandCodec(ResourceNames.DEFAULT);

    private final Placer placer =
            new Placer(new Ledger(DEMANDS, AnnotationObserver.none()), new Policies(PolicyKind.WSP));

    private final Ledger ledger = placer.ledger();

    @Property(tries = 40)
    void theResponseIsTheResult(@ForAll long seed) throws BadRequestException, JsonProcessingException {
        Random random = new Random(seed);
        NodeSelection selection = new NodeSelection(
                placer, new PlacementOutcomes(() -> 0), random.nextBoolean() ? DecideIn.FILTER : DecideIn.PRIORITIZE);
        IntStream.range(0, NODES).forEach(number -> node(number, 8 + random.nextInt(16)));
        for (int i = 0; i < REQUESTS; i++) {
            if (random.nextInt(5) == 0) {
                node(random.nextInt(NODES + 20), random.nextInt(24));
            }
            List<String> named = named(random);
            byte[] body = request(named, units(random)).getBytes(StandardCharsets.UTF_8);
            ExtenderArgs args = ExtenderArgs.read(body);
            assertThat(args.names()).isEqualTo(named);
            FilterResult result = selection.filter(args.pod(), named);
            assertResponse(FilterResponse.of(args, result).toString(), result, named);
        }
    }

    private static void assertResponse(String response, FilterResult result, List<String> named)
            throws JsonProcessingException {
        Map<String, String> failed = new HashMap<>();
        Map<String, String> unresolvable = new HashMap<>();
        List<String> passed = result.feasible();
        for (int place = 0; place < named.size(); place++) {
            @Nullable Reason reason = result.why(place);
            if (reason != null) {
                failed.put(named.get(place), reason.sentence());
                if (!reason.resolvable()) {
                    unresolvable.put(named.get(place), reason.sentence());
                }
            }
        }
        Map<String, Object> fields = new ObjectMapper().readValue(response, new TypeReference<>() {});
        assertThat(fields.get("NodeNames")).isEqualTo(passed);
        assertThat(fields.get("FailedNodes")).isEqualTo(failed);
        assertThat(fields.get("FailedAndUnresolvableNodes")).isEqualTo(unresolvable);
        assertThat(fields.get("Error")).isEqualTo("");
    }

    /** Each name once, in any order. */
    private static List<String> named(Random random) {
        int count = 1 + random.nextInt(1 << random.nextInt(4, 12));
        int known = random.nextBoolean() ? NODES : NODES + 20;
        List<String> all = new ArrayList<>(IntStream.range(0, known)
                .mapToObj(FilterResponseProperties::name)
                .toList());
        Collections.shuffle(all, random);
        return all.subList(0, Math.min(count, all.size()));
    }

    /** Mostly few enough for most nodes; sometimes more than any node has, or an invalid quantity. */
    private static String units(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> "1.5";
            case 1, 2, 3 -> String.valueOf(1 + random.nextInt(24));
            default -> "1";
        };
    }

    private static String request(List<String> named, String units) {
        return "{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u\"},\"spec\":{\"containers\":"
            + "[{\"name\":\"main\",\"resources\":{\"requests\":{\"aliyun.com/gpu-mem\":\"" + units
                + "\"}}}]}},\"Nodes\":null,\"NodeNames\":[\"" + String.join("\",\"", named) + "\"]}";
    }

    private static String name(int number) {
        // Of several lengths.
        return "gpu-node-" + number + (number % 10 == 0 ? ".internal" : ".example.internal");
    }

    private void node(int number, int gib) {
        Inventory inventory = new Inventory(
                MemoryUnit.GIB, null, List.of(Card.of("GPU-" + number, 0, Memory.ofGib(Math.max(1, gib)))));
        ledger.updateNode(
                name(number),
                Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(inventory)),
                new HostResources(128_000, 1 << 20));
    }
}
