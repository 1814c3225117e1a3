package io.gpushare.e2e.sandbox.migration;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** The verbs filter and bind of an extender. */
final class ExtenderServer implements AutoCloseable {
    private final HttpServer server;

    /** The response to the arguments of a verb. */
    @FunctionalInterface
    interface Verb {
        ObjectNode answer(ObjectNode arguments);
    }

    ExtenderServer(Verb filter, Verb bind) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/filter", exchange -> answer(exchange, filter));
        server.createContext("/bind", exchange -> answer(exchange, bind));
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private static void answer(HttpExchange exchange, Verb verb) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            ObjectNode answer;
            try {
                answer = verb.answer(ApiClient.document(body));
            } catch (RuntimeException e) {
                answer = ApiClient.document().put("Error", e.toString());
            }
            byte[] bytes = answer.toString().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
