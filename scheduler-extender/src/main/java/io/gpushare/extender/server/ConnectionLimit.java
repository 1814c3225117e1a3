package io.gpushare.extender.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.vertx.core.spi.transport.Transport;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Vert.x's ordinary transport with a limit on the open connections of each listening socket: it closes those beyond it
 * as it accepts them. Vert.x has no such limit, and calls a connection's handler only after the TLS handshake, when the
 * connection has its memory already.
 *
 * @param refused called for each connection beyond the limit
 */
record ConnectionLimit(int most, Runnable refused) implements io.vertx.core.transport.Transport, Transport {
    private static final Transport NIO = io.vertx.core.transport.Transport.NIO.implementation();

    /** A listening socket that counts the open connections that it has accepted. */
    private static final class LimitedServerChannel extends NioServerSocketChannel {
        private final int most;
        private final Runnable refused;
        private final AtomicInteger open = new AtomicInteger();

        LimitedServerChannel(int most, Runnable refused) {
            this.most = most;
            this.refused = refused;
        }

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

    @Override
    public String name() {
        return "nio";
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return null;
    }

    @Override
    public Transport implementation() {
        return this;
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return NIO.ioHandlerFactory();
    }

    @Override
    @SuppressWarnings("deprecation") // Vert.x's interface has Netty's old type
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return NIO.datagramChannel(family);
    }

    @Override
    public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
        return NIO.datagramChannelFactory();
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return NIO.channelFactory(domainSocket);
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return () -> new LimitedServerChannel(most, refused);
    }
}
