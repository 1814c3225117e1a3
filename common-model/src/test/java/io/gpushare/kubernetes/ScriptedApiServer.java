package io.gpushare.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** An API server whose responses the client library's own models reject. It records the requests. */
final class ScriptedApiServer implements AutoCloseable {
    private static final String POD = """
        {"metadata":{"name":"p","namespace":"ns","uid":"u1","creationTimestamp":"2026-11-20T10:00:00Z",
         "resourceVersion":"%s","fromTheFuture":1,"labels":{"a":"b"},"managedFields":[{"manager":"m"}],
         "annotations":{"gpushare.io/allocation":"x","gpushare.io/x":"y","other":"y"}},
         "spec":{"nodeName":"n1","priority":-7,"activeDeadlineSeconds":3600,"terminationGracePeriodSeconds":30,"fromTheFuture":{},
          "initContainers":[{"name":"i","restartPolicy":"Always","resources":{"limits":{"aliyun.com/gpu-mem":"1"}}}],
          "containers":[{"name":"c","env":[{"name":"A","value":"b"},{"name":"XLA_CLIENT_MEM_FRACTION","value":".5"}],
           "resources":{"requests":{"cpu":"1"},"limits":{"aliyun.com/gpu-mem":3}}}]},
         "status":{"phase":"%s","startTime":"2026-11-20T10:00:05Z","nominatedNodeName":"n7","allocatedResources":{},"containerStatuses":[{"name":"c","containerID":\
          "containerd://ab12"}],"initContainerStatuses":[{"name":"i","containerID":"cri-o://cd34"},{"name":"w",\
          "containerID":""}],"conditions":[{"type":"PodScheduled","status":"False",
          "reason":"Unschedulable","message":"0/1 nodes"},{"type":"New","status":"Odd"}]}}\
        """;

    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;
    private volatile String version = "36";
    private volatile int bindingStatus = 201;
    private volatile boolean pagesExpire;
    private volatile boolean breaksOff;
    private final Semaphore unanswered = new Semaphore(0);

    ScriptedApiServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::respond);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** The requests so far: method, path, content type and body. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    /** Sets the minor version of the server. */
    void version(String minor) {
        version = minor;
    }

    /** Sets the status of each response to a Binding. */
    void bindingStatus(int status) {
        bindingStatus = status;
    }

    /** From now on a list has a second page, which has always expired. */
    void expirePages() {
        pagesExpire = true;
    }

    /** Leaves the next list of pods without a response until {@link #close}. */
    void leaveListUnanswered() {
        unanswered.release();
    }

    /** From now on the connection is lost after the object of each response, before its end. */
    void breakOff() {
        breaksOff = true;
    }

    void stop() {
        server.stop(0);
    }

    @Override
    public void close() {
        end.countDown();
        stop();
        threads.close();
    }

    private void respond(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        requests.add(exchange.getRequestMethod() + " " + path + (type == null ? "" : " " + type) + " " + body);
        if (path.startsWith("/version")) {
            reply(exchange, 200, "{\"major\":\"1\",\"minor\":\"" + version + "\"}");
        } else if (path.endsWith("/binding")) {
            reply(
                    exchange,
                    bindingStatus,
                    bindingStatus == 201
                            ? "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":201}"
                            : "{\"kind\":\"Status\",\"message\":\"pod p is already assigned to node \\\"n2\\\"\"}");
        } else if (path.endsWith("/guarded/eviction")) {
            reply(exchange, 429, "{\"kind\":\"Status\",\"message\":\"a PodDisruptionBudget forbids it\"}");
        } else if (path.endsWith("/p/eviction")) {
            boolean known = body.contains("policy/v1beta1");
            reply(exchange, known ? 201 : 400, "{\"kind\":\"Status\",\"message\":\"no kind Eviction in policy/v1\"}");
        } else if (path.contains("watch=true")) {
            watch(exchange);
        } else if (pagesExpire && path.contains("continue=")) {
            reply(exchange, 410, "{\"kind\":\"Status\",\"message\":\"the provided continue parameter is too old\"}");
        } else if (pagesExpire && path.contains("limit=")) {
            reply(exchange, 200, "{\"metadata\":{\"resourceVersion\":\"1\",\"continue\":\"second\"},\"items\":[]}");
        } else if (path.startsWith("/api/v1/pods")) {
            if (unanswered.tryAcquire()) {
                awaitEnd();
            }
            reply(
                    exchange,
                    200,
                    "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + POD.formatted("1", "Running") + "]}");
        } else if (path.endsWith("/pods/recreated/status")) {
            reply(exchange, 422, invalid("metadata.uid"));
        } else if (path.endsWith("/pods/refused/status")) {
            reply(exchange, 422, invalid("metadata.annotations"));
        } else if (path.endsWith("/pods/p") || path.endsWith("/pods/p/status")) {
            reply(exchange, 200, POD.formatted("1", "Running"));
        } else if (path.contains("/leases/")) {
            reply(exchange, 200, "{\"metadata\":{\"resourceVersion\":\"1\"},\"spec\":{\"holderIdentity\":\"a\"}}");
        } else if (path.contains("selfsubjectaccessreviews")) {
            reply(exchange, 201, "{\"kind\":\"SelfSubjectAccessReview\",\"spec\":{},\"status\":{\"allowed\":true}}");
        } else if (path.endsWith("/events")) {
            reply(exchange, 201, "{\"kind\":\"Event\"}");
        } else if (path.startsWith("/api/v1/nodes/")) {
            reply(exchange, 200, "{\"metadata\":{\"name\":\"n1\"}}");
        } else {
            reply(exchange, 404, "{\"kind\":\"Status\",\"message\":\"not found\"}");
        }
    }

    private static String invalid(String field) {
        return """
            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
             "message":"Pod \\"p\\" is invalid: %1$s: Invalid value","reason":"Invalid",
             "details":{"name":"p","kind":"Pod","causes":[
              {"reason":"FieldValueInvalid","message":"Invalid value","field": "%1$s"}]},"code":422}
            """.formatted(field);
    }

    private void watch(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        var out = exchange.getResponseBody();
        out.write("""
            {"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"2"},"spec":{"containers":null}}}
            """.getBytes(UTF_8));
        out.write(event("MODIFIED", POD.formatted("3", "Succeeded")));
        out.write(event("DELETED", POD.formatted("4", "Succeeded")));
        out.flush();
        awaitEnd();
        exchange.close();
    }

    private void awaitEnd() {
        try {
            end.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] event(String type, String pod) {
        return ("{\"type\":\"" + type + "\",\"object\":" + pod.replace("\n", "") + "}\n").getBytes(UTF_8);
    }

    private void reply(HttpExchange exchange, int status, String json) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        byte[] bytes = json.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, breaksOff ? bytes.length + 1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.getResponseBody().flush();
        exchange.close();
    }
}
