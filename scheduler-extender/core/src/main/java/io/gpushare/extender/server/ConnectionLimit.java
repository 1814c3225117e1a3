package io.gpushare.extender.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.transport.Transport;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Vert.x's ordinary transport with a limit on the open connections of each listening socket: it closes those beyond it
 * as it accepts them. Vert.x has no such limit, and calls a connection's handler only after the TLS handshake, when the
 * connection has its memory already.
 */
final class ConnectionLimit extends NioTransport {
    private final int most;
    private final Runnable refused;

    private ConnectionLimit(int most, Runnable refused) {
        this.most = most;
        this.refused = refused;
    }

    /** @param refused called for each connection beyond the limit */
    static Transport of(int most, Runnable refused) {
        return new TransportInternal("nio", true, null, new ConnectionLimit(most, refused));
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return LimitedServerChannel::new;
    }

    /** A listening socket that counts the open connections that it has accepted. */
    private final class LimitedServerChannel extends NioServerSocketChannel {
        private final AtomicInteger open = new AtomicInteger();

        @Override
        protected int doReadMessages(List<Object> accepted) throws Exception {
            int count = super.doReadMessages(accepted);
            if (count > 0) {
                Channel connection = (Channel) accepted.getLast();
                if (open.get() >= most) {
                    accepted.removeLast();
                    connection.unsafe().closeForcibly();
                    refused.run();
                    return 0;
                }
                open.incrementAndGet();
                connection.closeFuture().addListener(closed -> open.decrementAndGet());
            }
            return count;
        }
    }
}
