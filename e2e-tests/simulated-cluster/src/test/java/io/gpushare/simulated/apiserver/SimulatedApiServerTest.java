package io.gpushare.simulated.apiserver;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.ApiClient.Answer;
import io.gpushare.simulated.client.Reflector;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SimulatedApiServerTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final SimulatedApiServer server = SimulatedApiServer.start();
    private final ApiClient cluster = new ApiClient(server.uri());

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    @Test
    void bindingSetsNodeAnnotationsAndConditionInOneChange() throws Exception {
        ObjectNode pod = createPod("p");
        List<String> seen = new CopyOnWriteArrayList<>();
        try (Reflector follower = follow("fieldSelector=spec.nodeName%3Dn1", seen)) {
            follower.start();
            Answer bound = bind("p", uid(pod), "n1", "one");
            assertThat(bound.code()).isEqualTo(201);
            assertThat(bound.document().path("kind").asText()).isEqualTo("Status");
            await().until(() -> seen.size() == 1);
        }
        assertThat(seen).containsExactly("p n1 one");
        ObjectNode after = cluster.get(PODS + "/p").document();
        assertThat(after.path("status").path("conditions").path(0).path("type").asText())
                .isEqualTo("PodScheduled");
        assertThat(after.path("status")
                        .path("conditions")
                        .path(0)
                        .path("status")
                        .asText())
                .isEqualTo("True");
    }

    @Test
    void anEventsMessageHasAtMost1024Bytes() throws Exception {
        String events = "/api/v1/namespaces/default/events";
        String event = "{\"metadata\":{\"generateName\":\"p.\"},\"message\":\"%s\"}";
        assertThat(cluster.post(events, ApiClient.document(event.formatted("x".repeat(1022) + "é")))
                        .code())
                .isEqualTo(201);
        Answer refused = cluster.post(events, ApiClient.document(event.formatted("x".repeat(1023) + "é")));
        assertThat(refused.code()).isEqualTo(422);
        assertThat(refused.message()).contains("can have at most 1024 characters");
    }

    @Test
    void kubectlShowsTheStateOfAClaimAndWhoseASliceIs() throws Exception {
        String claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
        String slices = "/apis/resource.k8s.io/v1/resourceslices";
        cluster.post(claims, ApiClient.document("{\"metadata\":{\"name\":\"free\"},\"spec\":{}}"));
        cluster.post(claims, ApiClient.document("""
            {"metadata":{"name":"used"},"spec":{},
             "status":{"allocation":{"devices":{}},"reservedFor":[{"resource":"pods","name":"p"}]}}\
            """));
        cluster.post(slices, ApiClient.document("""
            {"metadata":{"name":"s"},"spec":{"nodeName":"n1","driver":"gpushare.io","pool":{"name":"n1"}}}\
            """));
        assertThat(table(claims))
                .startsWith("Name,State,Age")
                .contains("\"free\",\"pending\"", "\"used\",\"allocated,reserved\"");
        assertThat(table(slices))
                .startsWith("Name,Node,Driver,Pool,Age")
                .contains("\"s\",\"n1\",\"gpushare.io\",\"n1\"")
                .doesNotContain("\"priority\":1");
    }

    /** The names of the columns, and the whole answer. */
    private String table(String path) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            String answer = http.send(
                            HttpRequest.newBuilder(URI.create(server.uri() + path))
                                    .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            List<String> names = new ArrayList<>();
            ApiClient.document(answer)
                    .path("columnDefinitions")
                    .forEach(column -> names.add(column.path("name").asText()));
            return String.join(",", names) + " " + answer;
        }
    }

    @Test
    void quantitiesAreStoredInTheirCanonicalForm() throws Exception {
        ObjectNode limits = ApiClient.document(
                "{\"nvidia.com/gpumem\":\"2k\",\"example.com/a\":2000,\"example.com/b\":\"3000m\",\"memory\":\"1.5Gi\"}");
        Answer created = createPod("p", limits);
        assertThat(created.code()).isEqualTo(201);
        for (String list : List.of("limits", "requests")) {
            assertThat(created.document().at("/spec/containers/0/resources/" + list))
                    .isEqualTo(ApiClient.document("{\"nvidia.com/gpumem\":\"2k\",\"example.com/a\":\"2k\","
                            + "\"example.com/b\":\"3\",\"memory\":\"1536Mi\"}"));
        }
        assertThat(createPod("q", ApiClient.document("{\"nvidia.com/gpumem\":\"1.5\"}"))
                        .message())
                .contains("spec.containers[0].resources.limits[nvidia.com/gpumem]: Invalid value: \"1500m\": must be an"
                        + " integer");
        assertThat(createPod("r", ApiClient.document("{\"nvidia.com/gpumem\":\"two\"}"))
                        .code())
                .isEqualTo(400);
    }

    private Answer createPod(String name, ObjectNode limits) throws Exception {
        ObjectNode pod = ApiClient.document("{\"metadata\":{\"name\":\"" + name + "\"}}");
        pod.putObject("spec")
                .putArray("containers")
                .addObject()
                .put("name", "c")
                .putObject("resources")
                .set("limits", limits);
        return cluster.post(PODS, pod);
    }

    @Test
    void aSecondBindingIsRefusedAndChangesNothing() throws Exception {
        ObjectNode pod = createPod("p");
        bind("p", uid(pod), "n1", "one");
        ObjectNode before = cluster.get(PODS + "/p").document();
        Answer second = bind("p", uid(pod), "n2", "two");
        assertThat(second.code()).isEqualTo(409);
        assertThat(second.document().path("reason").asText()).isEqualTo("Conflict");
        assertThat(second.message())
                .isEqualTo("Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node"
                        + " \"n1\"");
        assertThat(cluster.get(PODS + "/p").document()).isEqualTo(before);
    }

    @Test
    void aBindingForAnotherUidOrNoPodIsRefused() throws Exception {
        createPod("p");
        Answer other = bind("p", "another", "n1", "one");
        assertThat(other.code()).isEqualTo(409);
        assertThat(other.message()).contains("Precondition failed: UID in precondition: another, UID in object meta: ");
        assertThat(cluster.get(PODS + "/p").document().path("spec").has("nodeName"))
                .isFalse();
        Answer none = bind("q", "", "n1", "one");
        assertThat(none.code()).isEqualTo(404);
        assertThat(none.message()).isEqualTo("pods \"q\" not found");
    }

    @Test
    void pagesOfAListCoverEveryObjectOnce() throws Exception {
        for (int i = 0; i < 7; i++) {
            createPod("p" + i);
        }
        List<String> names = new CopyOnWriteArrayList<>();
        String next = "";
        do {
            ObjectNode page =
                    cluster.get("/api/v1/pods?limit=3&continue=" + next).document();
            page.path("items")
                    .forEach(
                            item -> names.add(item.path("metadata").path("name").asText()));
            next = page.path("metadata").path("continue").asText("");
        } while (!next.isEmpty());
        assertThat(names).containsExactly("p0", "p1", "p2", "p3", "p4", "p5", "p6");
    }

    @Test
    void aWatchGoesOnWhereItWasCut() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (Reflector follower = follow("", seen)) {
            follower.start();
            createPod("a");
            await().until(() -> seen.size() == 1);
            server.faults().cutOff(true);
            server.cutWatches();
            assertThat(cutOff()).isTrue();
            server.faults().cutOff(false);
            createPod("b");
            await().until(() -> seen.contains("b  "));
        }
        assertThat(seen).containsExactly("a  ", "b  ");
    }

    @Test
    void oneUserIsCutOffAndTheOthersAreServed() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("/version"))
                .header("Authorization", "Bearer one")
                .build();
        try (HttpClient one = HttpClient.newHttpClient()) {
            server.cutOff("one", true);
            assertThatThrownBy(() -> one.send(request, BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class);
            assertThat(cutOff()).isFalse();
            server.cutOff("one", false);
            assertThat(one.send(request, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aWatchFromAForgottenVersionIsToldGone() throws Exception {
        ObjectNode pod = createPod("a");
        createPod("b");
        server.forgetHistory();
        String version = pod.path("metadata").path("resourceVersion").asText();
        ObjectNode line = cluster.get("/api/v1/pods?watch=true&timeoutSeconds=5&resourceVersion=" + version)
                .document();
        assertThat(line.path("type").asText()).isEqualTo("ERROR");
        assertThat(line.path("object").path("code").asInt()).isEqualTo(410);
    }

    @Test
    void aPodOnANodeIsMarkedAndOnlyGraceZeroRemovesIt() throws Exception {
        ObjectNode pod = createPod("p");
        bind("p", uid(pod), "n1", "one");
        Answer marked = cluster.delete(PODS + "/p", ApiClient.document("{\"gracePeriodSeconds\":7}"));
        assertThat(marked.document()
                        .path("metadata")
                        .path("deletionGracePeriodSeconds")
                        .asInt())
                .isEqualTo(7);
        assertThat(bind("p", uid(pod), "n1", "one").message()).contains("is being deleted");
        cluster.delete(PODS + "/p?gracePeriodSeconds=0", ApiClient.document());
        assertThat(cluster.get(PODS + "/p").code()).isEqualTo(404);
        createPod("waiting");
        cluster.delete(PODS + "/waiting", ApiClient.document());
        assertThat(cluster.get(PODS + "/waiting").code()).isEqualTo(404);
    }

    @Test
    void aPatchOfOneSideLeavesTheOther() throws Exception {
        createPod("p");
        ObjectNode patch =
                ApiClient.document("{\"metadata\":{\"annotations\":{\"k\":\"v\"}},\"status\":{\"phase\":\"Running\"}}");
        ObjectNode main = cluster.patch(PODS + "/p", patch, "application/merge-patch+json")
                .document();
        assertThat(main.path("status").path("phase").asText()).isEqualTo("Pending");
        assertThat(main.path("metadata").path("annotations").path("k").asText()).isEqualTo("v");
        ObjectNode status = cluster.patch(PODS + "/p/status", patch).document();
        assertThat(status.path("status").path("phase").asText()).isEqualTo("Running");
        String version = status.path("metadata").path("resourceVersion").asText();
        ObjectNode same = cluster.patch(PODS + "/p/status", patch).document();
        assertThat(same.path("metadata").path("resourceVersion").asText()).isEqualTo(version);
        assertThat(cluster.patch(PODS + "/p", patch, "application/json").code()).isEqualTo(415);
    }

    @Test
    void aPatchOfTheStatusTakesMetadataKeepsTheSpecAndNeedsTheUid() throws Exception {
        ObjectNode pod = createPod("p");
        ObjectNode patch = ApiClient.document("""
            {"metadata":{"annotations":{"k":"v"},"labels":{"l":"w"}},"spec":{"nodeName":"elsewhere"}}\
            """);
        patch.withObjectProperty("metadata").put("uid", uid(pod));
        ObjectNode after = cluster.patch(PODS + "/p/status", patch).document();
        assertThat(after.at("/metadata/annotations/k").asText()).isEqualTo("v");
        assertThat(after.at("/metadata/labels/l").asText()).isEqualTo("w");
        assertThat(after.path("spec")).isEqualTo(pod.path("spec"));
        patch.withObjectProperty("metadata").put("uid", "another");
        for (String path : List.of(PODS + "/p/status", PODS + "/p")) {
            Answer other = cluster.patch(path, patch);
            assertThat(other.code()).isEqualTo(422);
            assertThat(other.message())
                    .isEqualTo("Pod \"p\" is invalid: metadata.uid: Invalid value: \"another\": field is immutable");
            assertThat(other.document().at("/details/causes/0/field").asText()).isEqualTo("metadata.uid");
        }
    }

    @Test
    void aLeaseIsReplacedOnlyAtItsVersion() throws Exception {
        String leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
        ObjectNode lease = cluster.post(
                        leases,
                        ApiClient.document("{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"a\"}}"))
                .document();
        ObjectNode mine = lease.deepCopy();
        mine.withObjectProperty("spec").put("holderIdentity", "b");
        assertThat(cluster.put(leases + "/l", mine).code()).isEqualTo(200);
        Answer late = cluster.put(leases + "/l", mine);
        assertThat(late.code()).isEqualTo(409);
        assertThat(late.message()).startsWith("Operation cannot be fulfilled on leases.coordination.k8s.io \"l\"");
    }

    @Test
    void aLostAnswerHasBeenDone() throws Exception {
        server.faults().loseAnswers(1);
        assertThat(lost()).isTrue();
        server.faults().loseAnswers(0);
        assertThat(cluster.get(PODS + "/p").code()).isEqualTo(200);
        server.faults().refuse(1);
        assertThat(cluster.get(PODS + "/p").code()).isEqualTo(503);
    }

    private boolean lost() throws InterruptedException {
        try {
            createPod("p");
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    private boolean cutOff() throws InterruptedException {
        try {
            cluster.get("/version");
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    private Reflector follow(String selectors, List<String> seen) {
        return new Reflector(cluster, "/api/v1/pods", selectors, new Reflector.Listener() {
            @Override
            public void present(List<ObjectNode> objects) {
                objects.forEach(pod -> seen.add(pod.path("metadata")
                                .path("name")
                                .asText() + " "
                        + pod.path("spec").path("nodeName").asText("") + " "
                        + pod.path("metadata").path("annotations").path("a").asText("")));
            }

            @Override
            public void gone(ObjectNode object) {
                seen.add("-" + object.path("metadata").path("name").asText());
            }
        });
    }

    private ObjectNode createPod(String name) throws IOException, InterruptedException {
        return cluster.post(
                        PODS,
                        ApiClient.document("{\"metadata\":{\"name\":\"" + name
                                + "\"},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}"))
                .document();
    }

    private Answer bind(String pod, String uid, String node, String note) throws IOException, InterruptedException {
        ObjectNode binding = ApiClient.document();
        binding.putObject("metadata")
                .put("name", pod)
                .put("uid", uid)
                .putObject("annotations")
                .put("a", note);
        binding.putObject("target").put("kind", "Node").put("name", node);
        return cluster.post(PODS + "/" + pod + "/binding", binding);
    }

    private static String uid(ObjectNode pod) {
        return pod.path("metadata").path("uid").asText();
    }
}
