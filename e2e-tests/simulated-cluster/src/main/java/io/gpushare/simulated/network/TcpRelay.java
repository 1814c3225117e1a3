package io.gpushare.simulated.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP relay on 127.0.0.1. Each new connection gets one backend and stays with it until one end closes, as a
 * connection through kube-proxy's NodePort does.
 */
public final class TcpRelay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpRelay.class);
    private static final int CHUNK = 1 << 16;

    private final ServerSocket listening;
    private final Supplier<OptionalInt> backend;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final Object gate = new Object();
    private boolean stalled;

    private TcpRelay(ServerSocket listening, Supplier<OptionalInt> backend) {
        this.listening = listening;
        this.backend = backend;
    }

    /**
     * Starts to relay.
     *
     * @param backend the port of the backend of the next connection; empty while there is none, and connections are
     *     closed
     */
    public static TcpRelay start(Supplier<OptionalInt> backend) throws IOException {
        TcpRelay relay = new TcpRelay(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), backend);
        relay.threads.execute(relay::accept);
        return relay;
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** The number of connections that got a backend so far. */
    public int connections() {
        return connections.get();
    }

    /** While true no byte passes in either direction and no connection closes, as in a network partition. */
    public void stall(boolean now) {
        synchronized (gate) {
            stalled = now;
            gate.notifyAll();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket caller = listening.accept();
                threads.execute(() -> connect(caller));
            }
        } catch (IOException e) {
            LOG.debug("relay closed: {}", e.toString());
        }
    }

    private void connect(Socket caller) {
        OptionalInt port = backend.get();
        if (port.isEmpty()) {
            close(caller);
            return;
        }
        Socket server = new Socket();
        sockets.add(caller);
        sockets.add(server);
        try {
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.getAsInt()));
            connections.incrementAndGet();
            threads.execute(() -> relay(server, caller));
            relay(caller, server);
        } catch (IOException e) {
            close(caller);
        }
    }

    private void relay(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] chunk = new byte[CHUNK];
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                pass();
                out.write(chunk, 0, count);
            }
            pass();
        } catch (IOException e) {
            LOG.debug("connection closed: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close(from);
        close(to);
    }

    private void pass() throws InterruptedException {
        synchronized (gate) {
            while (stalled) {
                gate.wait();
            }
        }
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing failed: {}", e.toString());
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        sockets.forEach(this::close);
        threads.shutdownNow();
    }
}
