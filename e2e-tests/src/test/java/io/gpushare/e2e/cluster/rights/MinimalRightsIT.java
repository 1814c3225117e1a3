package io.gpushare.e2e.cluster.rights;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.SharedCluster;
import io.gpushare.e2e.cluster.admission.AdmissionPolicies;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Verifies that each right of the two service accounts is needed. Without it a real API server denies the program's
 * request, the program logs the denial, and an effect that users see is missing. With the right the effect is back.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
@Tag("release")
class MinimalRightsIT {
    private static final String PLUGIN = OutsidePrograms.PLUGIN;
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration REFUSAL = Duration.ofSeconds(20);
    private static final int LINES = 60;

    @TempDir
    private static Path folder;

    private static Cluster cluster;
    private static ApiServer api;
    private static OutsidePrograms programs;
    private static RightTrials trials;
    private static String settled = "";

    @BeforeAll
    static void install(SharedCluster shared) throws IOException {
        shared.withoutPrograms();
        cluster = shared.cluster();
        api = ApiServer.of(cluster.kubectl());
        Files.copy(
                Path.of(System.getProperty("gpushare.simulated.driver")),
                cluster.sharedFolder().resolve("libnvidia-ml.so.1"),
                StandardCopyOption.REPLACE_EXISTING);
        RightTrials.cards(cluster, RightTrials.CARDS);
        programs = new OutsidePrograms(cluster, api, folder);
        trials = new RightTrials(cluster, api, programs);
    }

    @AfterAll
    static void stop() throws IOException {
        if (programs != null) {
            programs.close();
            api.send("DELETE", "/api/v1/nodes/" + RightTrials.NODE, "");
            api.close();
        }
    }

    /** One verb of one rule in deploy/manifests. */
    record Right(String kind, String namespace, String account, int rule, String resource, String verb) {
        @Override
        public String toString() {
            return account + ": " + verb + " " + resource;
        }

        String path() {
            return "/apis/rbac.authorization.k8s.io/v1/"
                    + (kind.equals("Role") ? "namespaces/" + namespace + "/roles/" : "clusterroles/") + account;
        }

        /** The API server's text for a denied request. */
        String refusal() {
            return "cannot " + verb + " resource \"" + resource + "\"";
        }
    }

    private record Attempt(boolean done, boolean refused) {}

    static Stream<Right> rights() throws IOException {
        List<Right> rights = new ArrayList<>();
        for (Map<String, Object> role : Permissions.roles(SharedCluster.ROOT)) {
            Map<String, Object> metadata = AdmissionPolicies.map(role.get("metadata"));
            String account = String.valueOf(metadata.get("name"));
            String namespace = String.valueOf(metadata.get("namespace"));
            List<Map<String, Object>> rules = AdmissionPolicies.list(role.get("rules"));
            for (int rule = 0; rule < rules.size(); rule++) {
                for (String resource : AdmissionPolicies.strings(rules.get(rule).get("resources"))) {
                    for (String verb : AdmissionPolicies.strings(rules.get(rule).get("verbs"))) {
                        rights.add(
                                new Right(String.valueOf(role.get("kind")), namespace, account, rule, resource, verb));
                    }
                }
            }
        }
        return rights.stream();
    }

    /**
     * A pod that is deleted during the start of its container makes a kubelet call Allocate in two threads at once.
     * This crashes version 1.20 (devicemanager.ManagerImpl.GetDeviceRunContainerOptions has no lock on devicesToReuse).
     */
    @BeforeEach
    void empty() throws IOException {
        Await.until(PATIENCE, "no pod is about to start", MinimalRightsIT::starting, List::isEmpty);
        api.send("DELETE", RightTrials.PODS + "?gracePeriodSeconds=0", "");
        api.send("DELETE", RightTrials.EVENTS, "");
    }

    @AfterEach
    void alive() throws IOException {
        programs.checkAlive();
    }

    @ParameterizedTest
    @MethodSource("rights")
    void withoutTheRightItsEffectIsMissing(Right right) throws Exception {
        try {
            isNeeded(right);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + state(), e);
        }
    }

    private static void isNeeded(Right right) throws Exception {
        running(right.account());
        Callable<Boolean> trial = trials.of(right);
        JsonNode whole = api.get(right.path()).body();
        long before = Files.size(programs.log());
        try {
            put(right.path(), without(whole, right));
            restartFor(right);
            Attempt attempt = Await.until(
                    REFUSAL,
                    right.account() + " reports: " + right.refusal(),
                    () -> new Attempt(RightTrials.call(trial), refused(right, before)),
                    Attempt::refused);
            if (!right.verb().equals("watch")) { // without it the program lists all objects every second
                assertThat(attempt.done())
                        .as("took effect without the right " + right)
                        .isFalse();
            }
        } finally {
            put(right.path(), whole);
        }
        Await.until(
                PATIENCE,
                "what needs " + right + " takes effect once it is given back",
                () -> RightTrials.call(trial),
                done -> done);
    }

    /** Restarts the program for list and watch, which it calls at its start. */
    private static void restartFor(Right right) throws IOException {
        if (right.verb().equals("list") || right.verb().equals("watch")) {
            programs.start(right.account());
        }
    }

    private static void running(String account) throws IOException {
        if (!programs.running().equals(account)) {
            programs.start(account);
        }
        if (!settled.equals(account)) {
            settled = account;
            Await.until(
                    PATIENCE,
                    account + " has done all that it does at its start",
                    () -> RightTrials.call(account.equals(PLUGIN) ? trials::offered : programs::extenderReady),
                    done -> done);
        }
    }

    private static JsonNode without(JsonNode role, Right right) {
        ObjectNode changed = role.deepCopy();
        ArrayNode verbs = (ArrayNode) changed.path("rules").path(right.rule()).path("verbs");
        for (int i = verbs.size() - 1; i >= 0; i--) {
            if (verbs.get(i).textValue().equals(right.verb())) {
                verbs.remove(i);
            }
        }
        if (verbs.isEmpty()) {
            ((ArrayNode) changed.path("rules")).remove(right.rule());
        }
        return changed;
    }

    private static void put(String path, JsonNode role) throws IOException {
        ObjectNode document = role.deepCopy();
        ((ObjectNode) document.path("metadata")).remove("resourceVersion");
        ApiServer.Response answer = api.send("PUT", path, document.toString());
        assertThat(answer.code()).as(answer.body().toString()).isEqualTo(200);
    }

    private static List<String> starting() {
        try {
            return api.get(RightTrials.PODS)
                    .body()
                    .path("items")
                    .valueStream()
                    .filter(pod -> pod.at("/spec").has("nodeName")
                            && pod.at("/status/phase").asText().equals("Pending"))
                    .map(pod -> pod.at("/metadata/name").asText())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Describes the pods and the end of the program's log. */
    private static String state() throws IOException {
        StringBuilder text = new StringBuilder();
        for (JsonNode pod : api.get(RightTrials.PODS).body().path("items")) {
            text.append(pod.at("/metadata/name").asText())
                    .append(' ')
                    .append(pod.at("/metadata/creationTimestamp").asText())
                    .append(' ')
                    .append(pod.at("/metadata/annotations"))
                    .append(' ')
                    .append(pod.at("/status"))
                    .append('\n');
        }
        List<String> lines = Files.readAllLines(programs.log());
        lines.subList(Math.max(0, lines.size() - LINES), lines.size())
                .forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    /** Whether the program's log, or the extender's response to a bind, contains the denial. */
    private static boolean refused(Right right, long from) {
        if (programs.lastBind().replace("\\\"", "\"").contains(right.refusal())) {
            return true;
        }
        try (InputStream text = Files.newInputStream(programs.log())) {
            // A program that was started for this right has its own log.
            text.skipNBytes(right.verb().equals("list") || right.verb().equals("watch") ? 0 : from);
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).contains(right.refusal());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
