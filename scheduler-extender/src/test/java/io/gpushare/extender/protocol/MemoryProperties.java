package io.gpushare.extender.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.ReceivedBodies;
import io.gpushare.extender.http.RequestBody;
import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.ledger.AnnotationObserver;
import io.gpushare.extender.ledger.FilterResult;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.codec.ResourceNames;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/**
 * Requests one after the other in memory that is used again, the last filter's kept for the prioritize after it: each is
 * read as it would be in memory of its own.
 */
class MemoryProperties {
    private static final int NODES = 3000;
    private static final int REQUESTS = 30;
    private static final DemandCodec DEMANDS = new DemandCodec(ResourceNames.DEFAULT);

    private final Ledger ledger = new Ledger(DEMANDS, new Policies(PolicyKind.WSP), AnnotationObserver.none());
    private NodeSelection choice = new NodeSelection(ledger, false);
    private NodeNames names = new NodeNames(ledger.columns());

    @Property(tries = 40)
    void requestsAreReadAsInMemoryOfTheirOwn(@ForAll long seed) throws BadRequestException, JsonProcessingException {
        Random random = new Random(seed);
        choice = new NodeSelection(ledger, random.nextBoolean());
        IntStream.range(0, NODES).forEach(number -> node(number, 8 + random.nextInt(16)));
        int passedAgain = 0;
        @Nullable String passed = null;
        for (int i = 0; i < REQUESTS; i++) {
            if (random.nextInt(5) == 0) {
                node(random.nextInt(NODES + 20), random.nextInt(24));
            }
            names = names.current(choice.columns());
            if (passed != null && random.nextInt(4) > 0) {
                RequestBody body = body(random.nextInt(3) == 0 ? passed.replace("\"p\"", "\"q\"") : passed, random);
                ExtenderArgs args = ExtenderArgs.readPassed(body, names);
                compare(args, body);
                passedAgain++;
                passed = random.nextInt(4) == 0 ? passed : null;
                body.end();
                continue;
            }
            List<String> asked = asked(random);
            RequestBody body = body(request(asked, units(random)), random);
            ExtenderArgs args = ExtenderArgs.read(body, names);
            FilterResult filtered = choice.filter(args.pod(), args.named().nodes());
            ExtenderArgs.Passed.remember(body, args, filtered);
            compare(args, body);
            assertTells(ReceivedBodies.text(FilterResponse.of(args, filtered, names)), filtered, asked);
            String whole = new String(body.copy(), StandardCharsets.UTF_8);
            List<String> again = new ArrayList<>(filtered.feasible(asked));
            if (random.nextInt(3) == 0) {
                Collections.shuffle(again, random);
            }
            passed = whole.substring(0, args.named().begin()) + quoted(again) + "]}";
            body.end();
        }
        assertThat(passedAgain).isPositive();
    }

    private static void assertTells(String answer, FilterResult filtered, List<String> asked)
            throws JsonProcessingException {
        Map<String, String> failed = new HashMap<>();
        Map<String, String> hopeless = new HashMap<>();
        List<String> passed = filtered.feasible(asked);
        for (int place = 0; place < asked.size(); place++) {
            @Nullable Reason why = filtered.why(place);
            if (why != null && !passed.contains(asked.get(place))) {
                failed.put(asked.get(place), why.sentence());
                if (!why.resolvable()) {
                    hopeless.put(asked.get(place), why.sentence());
                }
            }
        }
        Map<String, Object> told = new ObjectMapper().readValue(answer, new TypeReference<>() {});
        assertThat(told.get("NodeNames")).isEqualTo(passed);
        assertThat(told.get("FailedNodes")).isEqualTo(failed);
        assertThat(told.get("FailedAndUnresolvableNodes")).isEqualTo(hopeless);
        assertThat(told.get("Error")).isEqualTo("");
        // Each once, and none of those that have another reason.
        assertThat(answer.split(":\"" + Reason.NOT_CHOSEN.sentence() + "\"", -1).length - 1)
                .isEqualTo(Collections.frequency(failed.values(), Reason.NOT_CHOSEN.sentence()));
    }

    /** The same request, read by another in memory of its own. */
    private void compare(ExtenderArgs args, RequestBody body) throws BadRequestException {
        ExtenderArgs alone = ExtenderArgs.read(RequestBody.of(body.copy()), new NodeNames(ledger.columns()));
        assertThat(args.pod()).isEqualTo(alone.pod());
        assertThat(args.named().size()).isEqualTo(alone.named().size());
        for (int place = 0; place < args.named().size(); place++) {
            assertThat(args.named().nodes().number(place))
                    .isEqualTo(alone.named().nodes().number(place));
        }
        assertThat(choice.prioritize(args.pod(), args.named().nodes()))
                .isEqualTo(choice.prioritize(alone.pod(), alone.named().nodes()));
        assertThat(ReceivedBodies.text(all(args))).isEqualTo(ReceivedBodies.text(all(alone)));
    }

    private static ResponseWriter.Content all(ExtenderArgs args) {
        return into -> {
            if (args.named().size() > 0) {
                args.named().addTo(into, 0, args.named().size());
            }
        };
    }

    private static List<String> asked(Random random) {
        int count = 1 + random.nextInt(1 << random.nextInt(4, 13));
        int known = random.nextBoolean() ? NODES : NODES + 20;
        List<String> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(name(random.nextInt(known)));
        }
        return asked;
    }

    /** Mostly so few that most nodes have them; also such as none has, or as are none. */
    private static String units(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> "1.5";
            case 1, 2, 3 -> String.valueOf(1 + random.nextInt(24));
            default -> "1";
        };
    }

    private static String request(List<String> asked, String units) {
        return "{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u\"},\"spec\":{\"containers\":"
            + "[{\"name\":\"main\",\"resources\":{\"requests\":{\"aliyun.com/gpu-mem\":\"" + units
                + "\"}}}]}},\"Nodes\":null,\"NodeNames\":[" + quoted(asked) + "]}";
    }

    private static String quoted(List<String> asked) {
        return asked.isEmpty() ? "" : "\"" + String.join("\",\"", asked) + "\"";
    }

    private static RequestBody body(String text, Random random) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        RequestBody body = RequestBody.announced(bytes.length);
        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(1 + random.nextInt(70_000), bytes.length - at);
            body.add(Buffer.buffer(Arrays.copyOfRange(bytes, at, at + length)));
            at += length;
        }
        return body;
    }

    private static String name(int number) {
        // Of several lengths.
        return "gpu-node-" + number + (number % 10 == 0 ? ".internal" : ".example.internal");
    }

    private void node(int number, int gib) {
        Inventory inventory = new Inventory(
                MemoryUnit.GIB, null, List.of(Card.of("GPU-" + number, 0, Memory.ofGib(Math.max(1, gib)))));
        ledger.nodeSeen(
                name(number),
                Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(inventory)),
                new HostResources(128_000, 1 << 20));
    }
}
