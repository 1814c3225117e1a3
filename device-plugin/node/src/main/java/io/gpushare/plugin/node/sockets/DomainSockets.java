package io.gpushare.plugin.node.sockets;

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

/** Runs gRPC over the JDK's Unix domain sockets, without a native library. */
public final class DomainSockets implements Sockets {
    /** The kernel's limit: sun_path has 108 bytes, including a final zero. */
    private static final int LONGEST_PATH = 107;

    // One thread transfers the bytes; nothing that blocks runs on it.
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    /**
     * Checks that the path is short enough for a socket.
     *
     * @throws IllegalArgumentException with a sentence for the user
     */
    public static Path checked(Path socket) {
        int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_PATH) {
            throw new IllegalArgumentException("the path " + socket + " has " + length
                    + " bytes, the path of a Unix socket may have at most " + LONGEST_PATH
                    + ": choose a shorter --kubelet-dir");
        }
        return socket;
    }

    // SO_KEEPALIVE is unset: gRPC sets it on every connection, and domain sockets don't support it.
    @Override
    public NettyServerBuilder server(Path socket) {
        return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null);
    }

    @Override
    public ManagedChannel channel(Path socket, int largestResponse) {
        return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelFactory(NioDomainSocketChannel::new)
                .eventLoopGroup(loop)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .overrideAuthority("localhost")
                .maxInboundMessageSize(largestResponse)
                .usePlaintext()
                .build();
    }

    /** Distinguishes a socket file from another one at the same path; empty if there is no file. */
    public static Optional<Object> identity(Path socket) throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(socket, BasicFileAttributes.class);
            // Inode numbers are reused soon, so the times are needed as well. Only the first one can be set.
            return Optional.of(List.of(
                    String.valueOf(attributes.fileKey()),
                    attributes.lastModifiedTime(),
                    Files.getAttribute(socket, "unix:ctime")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 500, TimeUnit.MILLISECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
}
