package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.HostileBodies;
import io.gpushare.extender.running.RawHttp;
import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A hundred thousand malformed, truncated and hostile requests over real HTTP: each gets a response with a sentence,
 * and no memory or thread is left of them.
 */
class FuzzIT {
    private static final int REQUESTS = Integer.getInteger("gpushare.fuzz", 100_000);
    private static final long SEED = Long.getLong("gpushare.seed", 20261120);
    private static final int CALLERS = 4;
    private static final int MAX_BODY = 1 << 20;
    private static final List<String> PATHS = List.of("filter", "prioritize", "preempt", "bind");
    private static final long TOLERANCE = 24 << 20;

    @Test
    void everyHostileRequestGetsAResponseAndLeavesNothing(@TempDir Path folder) throws Exception {
        TestApiServer api = new TestApiServer();
        api.node("n1", TestApiServer.TWO_T4);
        try (RunningExtender extender = new RunningExtender(api.kubeconfig(folder), MAX_BODY).ready()) {
            storm(extender, 5_000, SEED - 1); // creates the threads and caches that stay
            String before = extender.get("/gpushare-scheduler/inspect").body();
            int threads = ManagementFactory.getThreadMXBean().getThreadCount();
            long memory = used();
            Map<String, Integer> responses = storm(extender, REQUESTS, SEED);
            System.out.println("fuzz: seed " + SEED + ", " + REQUESTS + " requests; responses: " + responses);
            assertThat(responses.values().stream().mapToInt(Integer::intValue).sum())
                    .isEqualTo(REQUESTS);
            assertThat(responses.keySet()).noneMatch(kind -> kind.contains(" 5"));
            assertThat(extender.get("/gpushare-scheduler/inspect").body()).isEqualTo(before);
            assertThat(extender.get("/metrics").body())
                    .contains("{standing=\"assumed\"} 0.0")
                    .contains("{standing=\"doubtful\"} 0.0");
            await().until(() -> ManagementFactory.getThreadMXBean().getThreadCount() <= threads + 4);
            await().until(() -> used() < memory + TOLERANCE);
        } finally {
            api.close();
        }
    }

    private static long used() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** The number of responses by kind. */
    private static Map<String, Integer> storm(RunningExtender extender, int requests, long seed) throws Exception {
        Map<String, Integer> responses = new ConcurrentHashMap<>();
        try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int caller = i;
                int share = requests / CALLERS + (i < requests % CALLERS ? 1 : 0);
                running.add(callers.submit(() -> {
                    call(extender.port(), share, seed + 1000L * caller, responses);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
        return new TreeMap<>(responses);
    }

    private static void call(int port, int requests, long seed, Map<String, Integer> responses) throws IOException {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        HostileBodies bodies = new HostileBodies(random);
        try (RawHttp http = new RawHttp(port)) {
            for (int i = 0; i < requests; i++) {
                boolean post = random.nextInt(20) > 0;
                String path = PATHS.get(random.nextInt(PATHS.size()));
                byte[] body = post ? bodies.next(path) : new byte[0];
                RawHttp.Response response = post
                        ? http.exchange("POST", "/gpushare-scheduler/" + path, body)
                        : http.exchange(bodies.method(), bodies.path(), body);
                String kind = post ? path + " " + response.status() : "other " + response.status();
                check(post ? path : "other", response, body);
                responses.merge(kind, 1, Integer::sum);
            }
        }
    }

    /** The protocol's form, or an error sentence. */
    private static void check(String path, RawHttp.Response response, byte[] body) {
        String sent = new String(body, 0, Math.min(body.length, 300), StandardCharsets.ISO_8859_1);
        boolean page = path.equals("other") && response.status() == 308; // from / to the page
        assertThat(page ? 200 : response.status())
                .as("status for %s %s", path, sent)
                .isIn(200, 400, 404, 405, 413);
        if (path.equals("other")) {
            return;
        }
        try {
            Object json = Json.decodeValue(response.body());
            boolean valid = path.equals("prioritize") && json instanceof JsonArray;
            valid |= json instanceof JsonObject object && answers(object);
            assertThat(valid).as("%s for %s %s", response.body(), path, sent).isTrue();
        } catch (DecodeException e) {
            throw new AssertionError("no JSON: " + response.body() + " for " + path + " " + sent, e);
        }
    }

    private static boolean answers(JsonObject response) {
        String error = response.getString("Error", response.getString("error"));
        return response.containsKey("NodeNameToMetaVictims")
                || (error != null && (!error.isEmpty() || response.containsKey("NodeNames")));
    }
}
