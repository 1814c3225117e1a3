package io.gpushare.e2e.load.client;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** One kept-alive HTTP/1.1 connection with minimal client-side work, so that measurements show the server. */
public final class Connection implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;
    private byte[] body = new byte[0];
    private int size;

    public Connection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        out = socket.getOutputStream();
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** The bytes of a POST request, which can be sent repeatedly. */
    public static byte[] post(String path, byte[] body) {
        byte[] head = ("POST " + path
                        + " HTTP/1.1\r\nHost: extender\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = new byte[head.length + body.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }

    /** Sends the request and reads the whole response; throws if the status is not 200. */
    public void call(byte[] request) throws IOException {
        out.write(request);
        String status = line();
        if (!status.startsWith("HTTP/1.1 200")) {
            throw new IOException("response " + status);
        }
        int length = 0;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(lower.substring(15).strip());
            }
            chunked |= lower.equals("transfer-encoding: chunked");
        }
        size = 0;
        if (!chunked) {
            read(length);
            return;
        }
        for (int chunk = chunk(); chunk > 0; chunk = chunk()) {
            read(chunk);
            line();
        }
        line();
    }

    private int chunk() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private void read(int length) throws IOException {
        if (body.length < size + length) {
            body = Arrays.copyOf(body, 2 * (size + length));
        }
        if (in.readNBytes(body, size, length) != length) {
            throw new IOException("the response ended early");
        }
        size += length;
    }

    /** The body of the response to the last call. */
    public byte[] response() {
        return Arrays.copyOf(body, size);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the connection was closed");
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
