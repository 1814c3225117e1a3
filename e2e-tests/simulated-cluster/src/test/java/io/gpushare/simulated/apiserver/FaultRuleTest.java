package io.gpushare.simulated.apiserver;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultRuleTest {
    private static final String BINDING = "/api/v1/namespaces/default/pods/p/binding";

    private final SimulatedApiServer server = SimulatedApiServer.start();
    private final ApiClient client = new ApiClient(server.uri());
    private final FaultRule bindings = server.faults().rule(request -> request.is("POST", "/binding"));

    @BeforeEach
    void aPod() {
        server.log().start();
        server.objects().put(ApiClient.document("""
            {"kind":"Pod","metadata":{"name":"p","namespace":"default","uid":"u1"},"spec":{"containers":[{"name":"c"}]}}\
            """));
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void orderedOutcomesAreUsedUpOneByOne() throws Exception {
        bindings.next(Outcome.refused(500, "InternalError", "etcdserver: leader changed"), Outcome.Plain.SERVED);
        assertThat(bind("u1")).isEqualTo(new ApiClient.Answer(500, ApiClient.document("""
            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"etcdserver: leader changed",\
            "reason":"InternalError","code":500}\
            """)));
        assertThat(node()).isEmpty();
        assertThat(bind("u1").code()).isEqualTo(201);
        assertThat(node()).isEqualTo("n1");
        assertThat(server.log().matching(request -> request.is("POST", "/binding")))
                .hasSize(2);
    }

    @Test
    void aLostRequestIsNotExecutedAndALostResponseIs() throws Exception {
        bindings.always(Outcome.Plain.REQUEST_LOST);
        assertThatThrownBy(() -> bind("u1")).isInstanceOf(IOException.class);
        assertThat(node()).isEmpty();
        bindings.always(Outcome.Plain.RESPONSE_LOST);
        assertThatThrownBy(() -> bind("u1")).isInstanceOf(IOException.class);
        assertThat(node()).isEqualTo("n1");
    }

    @Test
    void aHeldRequestIsServedAsTheClusterIsAtItsRelease() throws Exception {
        bindings.next(Outcome.Plain.HELD);
        CompletableFuture<ApiClient.Answer> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return bind("u1");
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> bindings.held() == 1);
        server.objects().remove(ApiResource.PODS, "default", "p");
        bindings.release();
        assertThat(answer.get(10, TimeUnit.SECONDS).code()).isEqualTo(404);
    }

    @Test
    void anEvictionDeletesOnlyThePodWithItsUid() throws Exception {
        assertThat(evict("u2").code()).isEqualTo(409);
        assertThat(evict("u1").code()).isEqualTo(201);
        assertThat(server.objects().list(ApiResource.PODS)).isEmpty();
    }

    private ApiClient.Answer evict(String uid) throws IOException, InterruptedException {
        return client.post("/api/v1/namespaces/default/pods/p/eviction", ApiClient.document("""
            {"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"},\
            "deleteOptions":{"preconditions":{"uid":"%s"}}}\
            """.formatted(uid)));
    }

    private ApiClient.Answer bind(String uid) throws IOException, InterruptedException {
        return client.post(BINDING, ApiClient.document("""
            {"metadata":{"name":"p","uid":"%s"},"target":{"kind":"Node","name":"n1"}}\
            """.formatted(uid)));
    }

    private String node() {
        return server.objects()
                .get(ApiResource.PODS, "default", "p")
                .path("spec")
                .path("nodeName")
                .asText("");
    }
}
