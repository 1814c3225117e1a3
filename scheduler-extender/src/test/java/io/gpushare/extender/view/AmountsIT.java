package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.gpushare.time.Clocks;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every command and view gives the same amounts, whatever memory units the nodes count in. */
class AmountsIT {
    private static final int L4 = 23_034;
    private static final int A100 = 81_920;

    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");

    @TempDir
    private Path folder;

    private @Nullable RunningExtender extender;

    /** A node with one card on which a pod holds a part. */
    private record Node(String name, String model, int memory, int unit, int heldUnits) {
        int held() {
            return heldUnits * unit;
        }

        String inventory() {
            return """
                {"version":1,"unitMiB":%d,"cards":[
                  {"uuid":"GPU-%s","index":0,"minor":0,"model":"%s","memoryMiB":%d}]}\
                """.formatted(unit, name, model, memory);
        }

        int total() {
            return memory / unit * unit;
        }
    }

    @ParameterizedTest(name = "units of {0} and {1} MiB")
    @CsvSource({"1, 1", "256, 256", "1024, 1024", "1024, 256", "256, 1"})
    void everyCommandAndViewGivesTheSameAmounts(int first, int second) throws Exception {
        Node a = new Node("a", "NVIDIA L4", L4, first, 7936 / first);
        Node b = new Node("b", "NVIDIA A100", A100, second, 14_080 / second);
        int waiting = 84_480 / second;
        try (TestApiServer api = new TestApiServer()) {
            for (Node node : List.of(a, b)) {
                api.node(node.name(), node.inventory());
                api.pod("on-" + node.name(), "uid-" + node.name(), WithView.limits(String.valueOf(node.heldUnits())));
            }
            api.pod("waits", "uid-waits", WithView.limits(String.valueOf(waiting)));
            api.refused("waits");
            try (RunningExtender running =
                    new RunningExtender(api.kubeconfig(folder), 1 << 20, new Clocks(() -> now, () -> now)).ready()) {
                extender = running;
                for (Node node : List.of(a, b)) {
                    await().until(() -> running.bind("on-" + node.name(), "uid-" + node.name(), node.name())
                            .isEmpty());
                }
                await().until(() -> !running.ledger.state().waitingPods().isEmpty());
                tables(a, b);
                json(a, b);
                why(a, b, waiting);
                event(api, a, b, waiting);
            }
            // Its first round over all nodes is at its start, the next one ten seconds later.
            try (RunningExtender again =
                    new RunningExtender(api.kubeconfig(folder), 1 << 20, new Clocks(() -> now, () -> now)).ready()) {
                extender = again;
                waste(a, b);
            }
        }
    }

    private void tables(Node a, Node b) throws Exception {
        String sum = gib(a.held() + b.held()) + " of " + people(a.total() + b.total()) + " allocated";
        assertThat(rows("nodes"))
                .contains("NODE CARDS ALLOCATED GiB ON EACH CARD")
                .anyMatch(row -> row.startsWith(sum));
        for (Node node : List.of(a, b)) {
            String pair = gib(node.held()) + "/" + people(node.total());
            String free = people(node.total() - node.held());
            assertThat(rows("nodes"))
                    .contains("%s 1 x %s %s %s".formatted(node.name(), node.model(), pair, gib(node.held())));
            assertThat(rows("nodes?output=wide"))
                    .contains("%s 1 x %s %s %s - unknown %s"
                            .formatted(node.name(), node.model(), pair, free, gib(node.held())));
            assertThat(rows("top"))
                    .contains(
                            "%s 0 %s %s - - - - ok".formatted(node.name(), people(node.memory()), people(node.held())));
            assertThat(rows("top-pods"))
                    .contains("default on-%1$s %1$s 0 %2$s - -".formatted(node.name(), people(node.held())));
            assertThat(text("defrag")).doesNotContain(" units");
        }
        details(a, b);
    }

    /** Each amount has its unit, and all are in GiB; gpushare's own table has the unit that it names, and no other. */
    private void details(Node a, Node b) throws Exception {
        long held = (long) a.held() + b.held();
        long total = (long) a.total() + b.total();
        List<String> details = rows("details");
        for (Node node : List.of(a, b)) {
            assertThat(details)
                    .contains("on-%s default %s".formatted(node.name(), gib(node.held())))
                    .contains("Allocated : %s GiB (%d%%)".formatted(gib(node.held()), 100 * node.held() / node.total()))
                    .contains("Total : " + people(node.total()));
        }
        assertThat(details)
                .contains("NAME NAMESPACE GPU0(GiB)")
                .contains("Allocated/Total GPU Memory In Cluster: %s/%s (%d%%)"
                        .formatted(gib(held), people(total), 100 * held / total));
        int common = a.unit() == 1024 && b.unit() == 1024 ? 1024 : 1;
        String name = common == 1024 ? "GiB" : "MiB";
        String sum = held / common + "/" + total / common + " (";
        assertThat(rows("summary"))
                .contains("NAME IPADDRESS GPU0(Allocated/Total) GPU Memory(" + name + ")")
                .contains("a unknown %1$d/%2$d %1$d/%2$d".formatted(a.held() / common, a.total() / common))
                .anyMatch(row -> row.startsWith(sum));
        assertThat(rows("details?notes=off"))
                .contains("on-b default " + b.held() / common)
                .contains("Total : " + b.total() / common)
                .anyMatch(row -> row.startsWith("Allocated/Total GPU Memory In Cluster: " + sum))
                .endsWith("GPU Memory in " + name);
    }

    private void json(Node a, Node b) throws Exception {
        for (Node node : List.of(a, b)) {
            JsonObject details = WithView.node(object("nodes"), node.name());
            JsonObject card = details.getJsonArray("cards").getJsonObject(0);
            assertThat(card.getInteger("allocatedUnits") * details.getInteger("unitMiB"))
                    .isEqualTo(node.held());
            JsonObject pod = card.getJsonArray("pods").getJsonObject(0);
            assertThat(pod.getInteger("units") * details.getInteger("unitMiB")).isEqualTo(node.held());
            JsonObject snapshot = WithView.node(object("cluster"), node.name());
            assertThat(snapshot.getJsonArray("cards")
                                    .getJsonObject(0)
                                    .getJsonArray("shares")
                                    .getInteger(1)
                            * snapshot.getInteger("unitMiB"))
                    .isEqualTo(node.held());
            JsonObject inspected = WithView.node(object("inspect"), node.name());
            assertThat(inspected.getInteger("usedGPU")).isEqualTo(node.heldUnits());
            assertThat(inspected.getString("unit")).isEqualTo(node.unit() == 1024 ? "GiB" : node.unit() + "MiB");
            assertThat(object("explain?pod=on-" + node.name())
                            .getJsonArray("holds")
                            .getJsonObject(0)
                            .getLong("allocatedBytes"))
                    .isEqualTo((long) node.held() << 20);
        }
    }

    private void why(Node a, Node b, int waiting) throws Exception {
        JsonObject why = object("explain?pod=waits");
        String requested = a.unit() != b.unit()
                ? waiting + " units"
                : people((long) waiting * b.unit())
                        + (b.unit() == 1024 ? "" : " (%d units of %s)".formatted(waiting, people(b.unit())));
        String demand = requested + " of memory on one card";
        assertThat(why.getString("demand")).isEqualTo(demand);
        assertThat(why.getJsonArray("advice").toString())
                .contains("it needs a new node that offers " + demand)
                .contains("The largest such card has " + people(b.total())
                        + (b.unit() == 1024
                                ? ""
                                : " (%d units of %s)".formatted(b.total() / b.unit(), people(b.unit())))
                        + ": request at most that on one card.");
        List<String> details = objects(why.getJsonArray("groups"))
                .map(group -> group.getString("model") + ": " + group.getString("detail"))
                .toList();
        assertThat(details).containsExactlyInAnyOrder(tooSmall(a, waiting), tooSmall(b, waiting));
        assertThat(text("why?pod=waits"))
                .contains("Pod default/waits requests " + demand + ".")
                .contains(tooSmall(a, waiting), tooSmall(b, waiting));
        assertThat(rows("why?pod=waits&output=wide"))
                .anyMatch(row -> row.startsWith("a 0 NVIDIA L4 " + people(a.total() - a.held()) + " "))
                .anyMatch(row -> row.startsWith("b 0 NVIDIA A100 " + people(b.total() - b.held()) + " "));
        assertThat(object("cluster")
                        .getJsonObject("waiting")
                        .getJsonArray("demands")
                        .getJsonObject(0)
                        .getString("text"))
                .isEqualTo(demand);
    }

    private static String tooSmall(Node node, int waiting) {
        return "%s: too small: one card has %s, %s needed"
                .formatted(node.model(), people(node.total()), people((long) waiting * node.unit()));
    }

    private void event(TestApiServer api, Node a, Node b, int waiting) {
        await().pollInterval(Duration.ofMillis(200)).until(() -> {
            now = now.plusSeconds(21);
            return !api.eventsOf("waits").isEmpty();
        });
        assertThat(api.eventsOf("waits").getFirst())
                .contains("1 node with " + tooSmall(a, waiting), "1 node with " + tooSmall(b, waiting));
    }

    private void waste(Node a, Node b) throws Exception {
        long allocated = (long) (a.held() + b.held()) << 20;
        await().until(() -> object("waste").getLong("allocatedBytes", 0L) == allocated);
        JsonObject waste = object("waste");
        assertThat(waste.getLong("capacityBytes")).isEqualTo((long) (L4 + A100) << 20);
        assertThat(waste.getJsonArray("namespaces").getJsonObject(0).getLong("allocatedBytes"))
                .isEqualTo(allocated);
        assertThat(rows("waste"))
                .contains("Memory of all cards " + people(L4 + A100))
                .contains("Allocated " + people(a.held() + b.held()))
                .contains("default 2 " + people(a.held() + b.held()) + " - - - -");
        assertThat(text("waste?output=csv")).contains("default,on-a,1," + ((long) a.held() << 20) + ",");
        long sum = (long) extender()
                .get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("gpushare_cluster_memory_allocated_bytes{"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll(".* ", "")))
                .sum();
        assertThat(sum).isEqualTo(allocated);
    }

    private static String gib(long mib) {
        return in(mib, 1024);
    }

    private static String people(long mib) {
        return mib < 1024 ? mib + " MiB" : gib(mib) + " GiB";
    }

    private static String in(long mib, long unit) {
        return mib % unit == 0
                ? String.valueOf(mib / unit)
                : BigDecimal.valueOf(mib)
                        .divide(BigDecimal.valueOf(unit), 1, RoundingMode.HALF_UP)
                        .toPlainString();
    }

    private static Stream<JsonObject> objects(JsonArray array) {
        return IntStream.range(0, array.size()).mapToObj(array::getJsonObject);
    }

    private RunningExtender extender() {
        return Objects.requireNonNull(extender);
    }

    private List<String> rows(String path) throws Exception {
        return text(path)
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    private String text(String path) throws Exception {
        return extender().get(WithView.VIEW + "text/" + path).body();
    }

    private JsonObject object(String path) throws Exception {
        return new JsonObject(extender().get(WithView.VIEW + path).body());
    }
}
