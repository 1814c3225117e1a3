package io.gpushare.plugin.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** gRPC over Unix domain sockets with the JDK's own sockets: no native library is needed. */
public final class DomainSockets implements AutoCloseable {
    /** What the kernel has room for: sun_path holds 108 bytes and ends with a zero. */
    private static final int LONGEST_PATH = 107;

    // One thread moves the bytes; nothing that waits runs on it.
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    /**
     * Checks that a socket can have that path.
     *
     * @throws IllegalArgumentException with a sentence for the user
     */
    public static Path checked(Path socket) {
        int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_PATH) {
            throw new IllegalArgumentException("the path " + socket + " has " + length
                    + " bytes, a Unix socket's path may have " + LONGEST_PATH + ": choose a shorter --kubelet-dir");
        }
        return socket;
    }

    // SO_KEEPALIVE is unset: gRPC sets it on every connection, and a domain socket does not know it.
    NettyServerBuilder server(Path socket) {
        return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null);
    }

    ManagedChannel channel(Path socket, int largestAnswer) {
        return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelFactory(NioDomainSocketChannel::new)
                .eventLoopGroup(loop)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .overrideAuthority("localhost")
                .maxInboundMessageSize(largestAnswer)
                .usePlaintext()
                .build();
    }

    /** What tells one socket file from another that took its place; empty where there is none. */
    static Optional<Object> identity(Path socket) throws IOException {
        try {
            Object inode = String.valueOf(
                    Files.readAttributes(socket, BasicFileAttributes.class).fileKey());
            // An inode number is used again soon: the time tells.
            return Optional.of(List.of(inode, Files.getAttribute(socket, "unix:ctime")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 500, TimeUnit.MILLISECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
}
