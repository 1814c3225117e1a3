package io.gpushare.plugin.claims;

import static io.gpushare.plugin.claims.RestartTable.OFFERED;
import static io.gpushare.plugin.claims.RestartTable.OFFERED_WHOLE;
import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.plugin.TestApiServer;
import io.gpushare.plugin.claims.RestartTable.Kind;
import io.gpushare.plugin.claims.RestartTable.Moment;
import io.gpushare.plugin.claims.RestartTable.Node;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.kubelet.devices.CheckpointFile;
import io.gpushare.simulated.program.StartedProgram;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The program is killed at each moment of a claim's life, with a pod of each kind on the node, and started again. What
 * the new process offers is printed as a table.
 */
class RestartTableIT extends WholeProgramWithClaims {
    private static final Duration LATEST = Duration.ofSeconds(10);
    private static final int UNITS = 15;
    private static final Pattern HOLDER = Pattern.compile(
            "(?:in use by (?:other )?|in use \\(|held by )(ended pod|claim|pod)s? (?:of UID |\\()?([a-z0-9/-]+)");
    private static final RestartTable TABLE = new RestartTable();

    /** What the kubelet has recorded, by pod. */
    private final Map<String, CheckpointFile.Entry> recorded = new TreeMap<>();

    private List<Kind> kinds = List.of();
    /** The pods that pod-resources lists with what is recorded. */
    private Set<String> listed = Set.of();

    private Node node = Node.CLAIMS;
    private Path proc;
    private int next;

    /** What is offered of a card. */
    private enum Offered {
        ALL,
        WHOLE,
        NOTHING;

        static Offered of(String expected) {
            return RestartTable.notOffered(expected) ? NOTHING : expected.equals(OFFERED) ? ALL : WHOLE;
        }
    }

    static List<Arguments> moments() {
        return Stream.of(Node.values())
                .flatMap(node -> Stream.of(Moment.values()).map(moment -> Arguments.of(node, moment)))
                .toList();
    }

    @BeforeEach
    void proc() throws IOException {
        proc = Files.createDirectory(dir.resolve("proc"));
    }

    @AfterAll
    static void print() {
        System.out.println("it: after a restart of the program\n" + TABLE);
    }

    @ParameterizedTest(name = "{0}; {1}")
    @MethodSource("moments")
    void nothingIsHeldByNobodyAndNothingIsGivenTwice(Node on, Moment moment) throws Exception {
        machine(Stream.of(Kind.values())
                .filter(kind -> kind.isThere(moment, on))
                .toList());
        kill(reach(moment, on));
        plugin();
        for (Kind kind : kinds) {
            if (RestartTable.held(kind.expected(moment, on))) {
                assertThat(refusal(kind))
                        .as("the first call for the card of: " + kind)
                        .isNotEmpty();
            }
        }
        // Until it serves them, the log names the metrics of the last process.
        await().ignoreExceptions().until(() -> get("/readyz").statusCode() == 200);
        for (Kind kind : kinds) {
            String expected = kind.expected(moment, on);
            await(LATEST).pollDelay(Duration.ZERO).untilAsserted(() -> {
                assertThat(offered(kind)).as("the card of: " + kind).isEqualTo(offered(expected));
                assertThat(seen(kind)).as("the card of: " + kind).isEqualTo(expected);
            });
            TABLE.seen(kind, moment, on, expected);
        }
        startContainers(moment);

        everybodyEnds(moment);
        await(LATEST).untilAsserted(() -> {
            for (Kind kind : kinds) {
                assertThat(offered(kind)).as("the card of: " + kind).isEqualTo(Offered.ALL);
            }
        });
    }

    /** Until the kubelet has admitted the pod, it may have any card. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"RESOURCE", "BY_HAND"})
    void aBoundPodWithAResourceClosesANodeWithClaimsUntilItIsAdmitted(Kind kind) throws Exception {
        machine(List.of(kind, Kind.NOBODY));
        StartedProgram first = plugin();
        await().until(() -> names(slice()).size() == 2);
        pods(kind, "Pending");
        kill(first);
        plugin();
        for (Kind each : kinds) {
            assertThat(refusal(each)).contains("its cards are in use (pod default/" + kind.pod() + ")");
        }
        await(LATEST).until(() -> api.all(ApiResource.RESOURCE_SLICES).isEmpty());
        TABLE.seen(kind, Moment.ALLOCATED, node, "no card is offered: pod default/" + kind.pod());

        if (kind.allocated(node)) {
            record(kind);
        }
        pods(kind, "Running");
        await(LATEST).untilAsserted(() -> {
            for (Kind each : kinds) {
                assertThat(seen(each)).isEqualTo(each.expected(Moment.RUNS, node));
            }
        });
    }

    /** A machine with a card for each of these kinds of pods. */
    private void machine(List<Kind> present) throws IOException {
        kinds = List.copyOf(present);
        cards(lines());
    }

    private String[] lines(String... more) {
        return Stream.concat(
                        kinds.stream().map(kind -> "card kind=T4 memory=" + UNITS + "GiB uuid=" + kind.card()),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    /** Brings all pods and claims to that moment; returns the program. */
    private StartedProgram reach(Moment moment, Node on) throws Exception {
        if (on == Node.CLAIMS) {
            bindResources(moment);
        }
        StartedProgram program = plugin();
        await().until(() -> names(slice()).contains(name(Kind.NOBODY.card())));
        for (Kind kind : byClaim()) {
            allocate(kind);
            pods(kind, "Pending");
            if (moment.prepared()) {
                prepare(kind.pod());
            }
        }
        if (on == Node.MOVED) {
            hangUp();
            program.terminate();
            assertThat(program.exitCode()).isZero();
            Files.deleteIfExists(registration());
            node = Node.MOVED;
            bindResources(moment);
            program = plugin();
        }
        live(moment);
        return program;
    }

    private List<Kind> byClaim() {
        return kinds.stream().filter(Kind::byClaim).toList();
    }

    private void bindResources(Moment moment) throws IOException {
        for (Kind kind : kinds) {
            if (kind.byResource()) {
                boolean known = kind.allocated(node);
                if (known && moment.prepared()) {
                    record(kind);
                }
                pods(kind, known || kind == Kind.ZERO || node == Node.MOVED ? "Pending" : "Running");
            }
        }
    }

    /** What follows the preparation. */
    private void live(Moment moment) throws IOException {
        for (Kind kind : kinds) {
            pods(kind, kind.computes() ? "Running" : moment.phase());
        }
        compute();
        for (Kind kind : kinds) {
            if (kind != Kind.NOBODY && (moment == Moment.POD_DELETED || kind.computes())) {
                api.delete(kind.pod());
            }
            if (kind == Kind.SHARED && moment == Moment.UNPREPARED) {
                api.delete(kind.second());
            }
            if (kind.byClaim() && moment == Moment.UNPREPARED) {
                assertThat(unprepare(kind.pod())).isEmpty();
            }
            if (kind.byClaim() && moment == Moment.CLAIM_DELETED) {
                api.remove(ApiResource.RESOURCE_CLAIMS, "default", kind.pod());
            }
        }
        listed = moment.starts() ? Set.copyOf(recorded.keySet()) : Set.of();
        listRunning();
    }

    /** A process of each pod that is deleted by force. */
    private void compute() throws IOException {
        List<String> processes = new ArrayList<>();
        for (Kind kind : kinds) {
            if (kind.computes()) {
                Files.writeString(
                        Files.createDirectories(proc.resolve(String.valueOf(kind.pid())))
                                .resolve("cgroup"),
                        "0::/kubepods/pod" + kind.uid() + "/" + TestApiServer.containerId(kind.pod()) + "\n");
                processes.add("process pid=" + kind.pid() + " card=" + kind.card() + " memory=4GiB utilisation=10");
            }
        }
        cards(lines(processes.toArray(String[]::new)));
    }

    /** Starts the program, until the kubelet has registered it. */
    private StartedProgram plugin() throws Exception {
        if (node == Node.CLAIMS) {
            return serve("--proc-dir=" + proc);
        }
        int before = kubelet.registrations().size();
        StartedProgram program = run("--cdi-dir=" + cdi(), METRICS, "--proc-dir=" + proc);
        await().until(() -> Files.exists(registration()));
        register();
        await().until(() -> kubelet.registrations().size() == before + 2);
        return program;
    }

    private Offered offered(Kind kind) {
        if (node == Node.CLAIMS) {
            return names(slice()).contains(name(kind.card())) ? Offered.ALL : Offered.NOTHING;
        }
        boolean whole = kubelet.healthy(CARDS).contains(kind.card());
        long units = kubelet.healthy(MEMORY).stream()
                .filter(id -> id.startsWith(kind.card()))
                .count();
        assertThat(units).isIn(0L, (long) UNITS);
        assertThat(whole || units == 0).as("a card with memory alone").isTrue();
        return units > 0 ? Offered.ALL : whole ? Offered.WHOLE : Offered.NOTHING;
    }

    /** kube-scheduler counts what claims have, and the kubelet counts allocated devices: they stay offered. */
    private Offered offered(String expected) {
        boolean counted = RestartTable.held(expected) && !RestartTable.notOffered(expected);
        return counted && node == Node.CLAIMS ? Offered.ALL : Offered.of(expected);
    }

    /** What is offered of its card, and who is named to the next pod that was given it. */
    private String seen(Kind kind) {
        Offered offered = offered(kind);
        String refusal = refusal(kind);
        Matcher holder = HOLDER.matcher(refusal);
        if (holder.find()) {
            String what = holder.group(1);
            return RestartTable.heldBy(
                    what.equals(RestartTable.ENDED) ? what : what + " " + holder.group(2), offered != Offered.NOTHING);
        }
        return !refusal.isEmpty()
                ? refusal
                : switch (offered) {
                    case ALL -> OFFERED;
                    case WHOLE -> OFFERED_WHOLE;
                    case NOTHING -> "given, and not offered";
                };
    }

    /** Why the next pod can't have that card; empty if it got it. The pod ends at once. */
    private String refusal(Kind kind) {
        String pod = "next-" + next++;
        if (node == Node.CLAIMS) {
            claim(pod, result("gpu", kind.card()));
            String error = error(pod);
            assertThat(unprepare(pod)).isEmpty();
            api.remove(ApiResource.RESOURCE_CLAIMS, "default", pod);
            return error;
        }
        api.pod(pod, "Pending", Map.of(CARDS, "1"), wholeCard(kind.card()));
        listRunning(pod);
        try {
            assertThat(allocate(CARDS, List.of(kind.card()))).containsEntry("NVIDIA_VISIBLE_DEVICES", kind.card());
            return "";
        } catch (StatusRuntimeException e) {
            return String.valueOf(e.getMessage());
        } finally {
            api.delete(pod);
            listRunning();
        }
    }

    /** The kubelet calls for claims whose pods did not start, and again where a container starts again. */
    private void startContainers(Moment moment) {
        for (Kind kind : byClaim()) {
            if (moment.starts()) {
                prepare(kind.pod());
            } else if (!moment.prepared() && node == Node.CLAIMS) {
                prepare(kind.pod());
            } else if (!moment.prepared()) {
                assertThat(error(kind.pod()))
                        .contains("its node offers its cards by the device plugin now: recreate the pod");
            }
        }
    }

    /** The kubelet has forgotten a claim that is gone when its pod ends. */
    private void everybodyEnds(Moment moment) throws IOException {
        for (Kind kind : kinds) {
            if (kind.computes()) {
                Files.delete(proc.resolve(kind.pid() + "/cgroup"));
            }
        }
        cards(lines());
        listed = Set.of();
        listRunning();
        api.all(ApiResource.PODS)
                .forEach(pod -> api.delete(pod.at("/metadata/name").asText()));
        for (Kind kind : byClaim()) {
            if (moment != Moment.CLAIM_DELETED) {
                assertThat(unprepare(kind.pod())).isEmpty();
            }
        }
        await(LATEST).untilAsserted(() -> assertThat(files()).isEmpty());
    }

    /** kube-scheduler allocates the card: a share of it to two pods, or the whole one. */
    private void allocate(Kind kind) {
        ObjectNode claim = document(
                kind.pod(),
                "uid-" + kind.pod(),
                kind == Kind.SHARED ? result("gpu", kind.card(), "3Gi", "s1") : result("gpu", kind.card()));
        ArrayNode pods = claim.withObjectProperty("status").putArray("reservedFor");
        reserve(pods, kind.pod(), kind.uid());
        if (kind == Kind.SHARED) {
            reserve(pods, kind.second(), kind.secondUid());
        }
        api.put(claim);
    }

    private static void reserve(ArrayNode pods, String name, String uid) {
        pods.addObject().put("resource", "pods").put("name", name).put("uid", uid);
    }

    /** The kubelet records that the pod has its card. */
    private void record(Kind kind) throws IOException {
        recorded.put(
                kind.pod(),
                new CheckpointFile.Entry(
                        kind.uid(),
                        "main",
                        CARDS,
                        Set.of(kind.card()),
                        ContainerAllocateResponse.newBuilder()
                                .putEnvs("NVIDIA_VISIBLE_DEVICES", kind.card())
                                .build()));
        kubelet.checkpoint(recorded.values().toArray(CheckpointFile.Entry[]::new));
    }

    /** pod-resources lists the pods that run with resources, and others that are admitted. */
    private void listRunning(String... admitted) {
        var answer = ListPodResourcesResponse.newBuilder();
        for (String pod : listed) {
            answer.addPodResourcesBuilder()
                    .setNamespace("default")
                    .setName(pod)
                    .addContainersBuilder()
                    .setName("main")
                    .addDevicesBuilder()
                    .setResourceName(CARDS)
                    .addAllDeviceIds(Objects.requireNonNull(recorded.get(pod)).devices());
        }
        for (String pod : admitted) {
            answer.addPodResourcesBuilder()
                    .setNamespace("default")
                    .setName(pod)
                    .addContainersBuilder()
                    .setName("main");
        }
        kubelet.podResources(answer.build());
    }

    /** The API has the pod of that kind in that phase; of two pods with one claim the second one runs on. */
    private void pods(Kind kind, String phase) throws IOException {
        if (kind != Kind.NOBODY) {
            pod(kind, kind.pod(), kind.uid(), phase);
        }
        if (kind == Kind.SHARED) {
            pod(kind, kind.second(), kind.secondUid(), phase.equals("Pending") ? phase : "Running");
        }
    }

    private void pod(Kind kind, String name, String uid, String phase) throws IOException {
        String amount = kind == Kind.ZERO ? "0" : "1";
        ObjectNode pod = object("""
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%s", "namespace": "default", "uid": "%s", "annotations": {},
                          "creationTimestamp": "2026-01-01T00:00:00Z"},
             "spec": {"nodeName": "n1", "containers": [{"name": "main", "resources": {}}]},
             "status": {"phase": "%s"}}
            """.formatted(name, uid, phase));
        ObjectNode resources = (ObjectNode) pod.at("/spec/containers/0/resources");
        if (kind.byClaim() && kind != Kind.CLASS) {
            resources.putArray("claims").addObject().put("name", "gpu");
            pod.withObjectProperty("spec")
                    .putArray("resourceClaims")
                    .addObject()
                    .put("name", "gpu")
                    .put("resourceClaimName", kind.pod());
        } else {
            resources.putObject("limits").put(CARDS, amount);
            resources.putObject("requests").put(CARDS, amount);
        }
        if (kind == Kind.CLASS) {
            pod.withObjectProperty("status").set("extendedResourceClaimStatus", object("""
                {"resourceClaimName": "%s", "requestMappings": [
                   {"containerName": "main", "resourceName": "%s", "requestName": "gpu"}]}
                """.formatted(name, CARDS)));
        } else if (kind.byResource() && kind != Kind.BY_HAND) {
            pod.withObjectProperty("metadata")
                    .withObjectProperty("annotations")
                    .put("gpushare.io/allocation", wholeCard(kind.card()));
        }
        if (!phase.equals("Pending")) {
            pod.withObjectProperty("status")
                    .putArray("containerStatuses")
                    .addObject()
                    .put("name", "main")
                    .put("containerID", "containerd://" + TestApiServer.containerId(name));
        }
        api.put(pod);
    }
}
