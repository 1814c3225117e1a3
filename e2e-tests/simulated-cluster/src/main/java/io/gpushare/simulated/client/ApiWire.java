package io.gpushare.simulated.client;

import java.io.IOException;
import java.io.InputStream;

/** Carries the requests of a client to an API server, and its responses back. */
public interface ApiWire extends AutoCloseable {
    /**
     * A whole response.
     *
     * @param json whether the body is a JSON document
     */
    @SuppressWarnings("ArrayRecordComponent") // it is carried, and never compared
    record Response(int code, boolean json, byte[] body) {}

    /** A response whose body is read as it arrives. */
    record Stream(int code, InputStream body) {}

    /**
     * Sends a request.
     *
     * @param path with its query
     * @param contentType empty without a body
     */
    Response send(String method, String path, String contentType, byte[] body) throws IOException, InterruptedException;

    /** Opens a watch: a GET without a time limit. */
    Stream open(String path) throws IOException, InterruptedException;

    @Override
    void close();
}
