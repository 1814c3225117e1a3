package io.gpushare.extender.running;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.Candidacy;
import io.gpushare.extender.preemption.PreemptionMode;
import io.gpushare.time.Clocks;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An extender that may evict, on nodes of two cards of 15 units; its durations pass ten times as fast. */
public abstract class WithPreemption {
    private static final Duration TURN = Duration.ofSeconds(20);

    private final PreemptionClock clock = new PreemptionClock();

    @TempDir
    protected Path folder;

    protected final TestApiServer api = new TestApiServer();
    protected RunningExtender extender;

    @BeforeEach
    protected void startExtender() throws Exception {
        api.node("n1", TestApiServer.TWO_T4);
        extender = start(null).ready();
    }

    @AfterEach
    protected void stopExtender() throws Exception {
        extender.close();
        api.close();
    }

    protected RunningExtender start(@Nullable Candidacy candidacy) throws Exception {
        Clocks fast = Clocks.of(InstantSource.system(), clock::nanos);
        return new RunningExtender(api.kubeconfig(folder), PreemptionMode.AUTO, candidacy, fast);
    }

    public static JsonObject memory(int units) {
        return new JsonObject().put("aliyun.com/gpu-mem", String.valueOf(units));
    }

    public static JsonObject whole(int cards) {
        return new JsonObject().put("aliyun.com/gpu-count", String.valueOf(cards));
    }

    /** Two pods of priority 0 run on {@code n1}, each with all memory of one of its cards. */
    protected void fullNode() throws Exception {
        running("low-a", "n1", memory(15), 0);
        running("low-b", "n1", memory(15), 0);
    }

    /** A pod that runs on that node, on the card that it gets, and takes 30 s to end. */
    protected void running(String name, String node, JsonObject limits, int priority) throws Exception {
        running(name, node, limits, priority, 30);
    }

    protected void running(String name, String node, JsonObject limits, int priority, int grace) throws Exception {
        api.pod(name, "uid-" + name, limits, priority);
        await().untilAsserted(() ->
                assertThat(extender.bind(name, "uid-" + name, node)).isEmpty());
        api.label(name, "app", name.split("-")[0]);
        api.runs(name, grace);
        await().until(() -> extender.ledger
                .podEntry("uid-" + name)
                .filter(pod -> node.equals(pod.node()))
                .isPresent());
    }

    /** A pod for which kube-scheduler finds no node. */
    protected void waiting(String name, JsonObject limits, int priority) {
        waiting(name, limits, priority, "{}");
    }

    protected void waiting(String name, JsonObject limits, int priority, String spec) {
        api.pod(name, "uid-" + name, limits, priority);
        api.spec(name, spec);
        api.refused(name);
        await().until(() -> extender.ledger.waiting().stream()
                .anyMatch(pod -> pod.ref().name().equals(name)));
    }

    /** The waiting pod has an Event that starts with that reason. */
    protected void reported(String name, String reason) {
        await().untilAsserted(() -> assertThat(api.eventsOf(name)).anyMatch(event -> event.startsWith(reason)));
    }

    protected void evicted(String... names) {
        await().untilAsserted(() -> assertThat(api.evicted()).contains(names));
        assertThat(api.evicted()).containsExactlyInAnyOrder(names);
    }

    /** Nothing is evicted in a time in which the pod would have had several turns. */
    protected void nothingMoreEvicted(int before) throws Exception {
        turnsPass();
        assertThat(api.evicted()).hasSize(before);
    }

    protected void pass(Duration time) {
        clock.pass(time);
    }

    /** The time passes that a pod waits for its next turn, and so does a round in which it has it. */
    protected void turnsPass() {
        pass(TURN);
        int begun = clock.rounds();
        await().until(() -> clock.rounds() >= begun + 2);
    }

    /** The victim's containers have ended. */
    protected void ends(String name) {
        api.delete(name);
        await().until(() -> extender.ledger.podEntry("uid-" + name).isEmpty());
    }

    protected void binds(String name, String node) {
        await().untilAsserted(() ->
                assertThat(extender.bind(name, "uid-" + name, node)).isEmpty());
    }

    protected JsonObject status(String name) {
        return api.object("default/" + name).getJsonObject("status");
    }

    /** The condition as its status, reason and message; empty if there is none. */
    protected String condition(String name, String type) {
        return status(name).getJsonArray("conditions").stream()
                .map(JsonObject.class::cast)
                .filter(each -> type.equals(each.getString("type")))
                .map(each ->
                        each.getString("status") + " " + each.getString("reason") + " " + each.getString("message"))
                .collect(Collectors.joining());
    }

    /** The value of a metric. */
    protected double metric(String series) throws Exception {
        return extender.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .sum();
    }
}
