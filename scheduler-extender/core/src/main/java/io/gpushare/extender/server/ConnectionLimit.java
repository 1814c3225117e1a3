package io.gpushare.extender.server;

import io.gpushare.time.Machine;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.transport.Transport;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Vert.x's ordinary transport with a limit on the open connections of each listening socket. Vert.x has no such limit,
 * and calls a connection's handler only after the TLS handshake, when the connection has its memory already.
 *
 * <p>Beyond the limit, a new connection takes the place of the one that has sent no whole request for the longest time:
 * nobody who keeps connections locks out kube-scheduler or the kubelet's probes. Connections with a client certificate
 * stay. If no connection can go, the new one is closed as it is accepted.
 */
final class ConnectionLimit extends NioTransport {
    private final int most;
    private final Runnable exceeded;

    private ConnectionLimit(int most, Runnable exceeded) {
        this.most = most;
        this.exceeded = exceeded;
    }

    /** @param exceeded called for each connection beyond the limit */
    static Transport of(int most, Runnable exceeded) {
        return new TransportInternal("nio", true, null, new ConnectionLimit(most, exceeded));
    }

    /** What an open connection is used for. Its event loop writes this. */
    static final class Use {
        private static final AttributeKey<Use> KEY = AttributeKey.valueOf(Use.class, "use");

        private volatile long since = Machine.here().nanos();
        private volatile boolean certified;
        private volatile boolean answering;

        /** That of a connection which was accepted here. */
        static Use of(HttpConnection connection) {
            return ((ConnectionBase) connection).channel().attr(KEY).get();
        }

        /** Its caller has a client certificate. */
        void certified() {
            certified = true;
        }

        /** A whole request has arrived. */
        void answering() {
            answering = true;
        }

        /** Its response has been written. */
        void answered() {
            since = Machine.here().nanos();
            answering = false;
        }
    }

    private static Use use(Channel connection) {
        return connection.attr(Use.KEY).get();
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return LimitedServerChannel::new;
    }

    /** A listening socket that knows the open connections that it has accepted. */
    private final class LimitedServerChannel extends NioServerSocketChannel {
        private final Set<Channel> open = ConcurrentHashMap.newKeySet();

        @Override
        protected int doReadMessages(List<Object> accepted) throws Exception {
            int count = super.doReadMessages(accepted);
            if (count > 0) {
                Channel connection = (Channel) accepted.getLast();
                if (open.size() >= most && !makePlace()) {
                    accepted.removeLast();
                    connection.unsafe().closeForcibly();
                    return 0;
                }
                connection.attr(Use.KEY).set(new Use());
                open.add(connection);
                connection.closeFuture().addListener(closed -> open.remove(connection));
            }
            return count;
        }

        /** Closes a connection for another one; returns false if none can go. */
        private boolean makePlace() {
            exceeded.run();
            long now = Machine.here().nanos();
            Optional<Channel> longestIdle = open.stream()
                    .filter(Channel::isRegistered)
                    .filter(connection -> !use(connection).certified && !use(connection).answering)
                    .min(Comparator.comparingLong(connection -> use(connection).since - now));
            longestIdle.ifPresent(connection -> {
                open.remove(connection);
                var _ = connection.close();
            });
            return longestIdle.isPresent();
        }
    }
}
