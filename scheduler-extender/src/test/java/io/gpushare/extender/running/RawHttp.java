package io.gpushare.extender.running;

import io.gpushare.simulated.patience.Patience;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A client that sends any bytes over one connection and reconnects after the server has closed it. */
public final class RawHttp implements AutoCloseable {
    /** A response. */
    public record Response(int status, String body) {}

    private final int port;
    private Socket socket;
    private InputStream in;

    public RawHttp(int port) throws IOException {
        this.port = port;
        this.socket = connect();
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Replaces the connection. */
    public void reconnect() throws IOException {
        socket.close();
        socket = connect();
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Whether the server closes the connection within half a second. */
    public boolean closed() throws IOException {
        socket.setSoTimeout(500);
        try {
            return in.read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } finally {
            socket.setSoTimeout(Patience.millis());
        }
    }

    private Socket connect() throws IOException {
        Socket connected = new Socket(InetAddress.getLoopbackAddress(), port);
        connected.setTcpNoDelay(true);
        connected.setSoTimeout(Patience.millis());
        return connected;
    }

    public Response exchange(String method, String path, byte[] body) throws IOException {
        return exchange(method, path, "x", body);
    }

    public Response exchange(String method, String path, String host, byte[] body) throws IOException {
        return exchange(method, path, host, "", body);
    }

    /**
     * Sends a request with more headers.
     *
     * @param headers more of them, each with the end of its line
     */
    public Response exchange(String method, String path, String host, String headers, byte[] body) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream(body.length + 200);
        request.writeBytes((method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "Content-Length: "
                        + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(body);
        OutputStream out = socket.getOutputStream();
        out.write(request.toByteArray());
        return response(method.equals("HEAD"));
    }

    private Response response(boolean withoutBody) throws IOException {
        int status = Integer.parseInt(line().split(" ")[1]);
        int length = 0;
        boolean closes = false;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(lower.substring(15).strip());
            }
            closes |= lower.equals("connection: close");
            chunked |= lower.equals("transfer-encoding: chunked");
        }
        String body = withoutBody ? "" : new String(chunked ? chunks() : in.readNBytes(length), StandardCharsets.UTF_8);
        if (closes) {
            reconnect();
        }
        return new Response(status, body);
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            body.write(in.readNBytes(size));
            line();
        }
        line();
        return body.toByteArray();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed without a response, after: " + line);
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
