package io.gpushare.simulated.kubelet.devices;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** gRPC over Unix sockets, with the JDK's own domain sockets under Netty, on one event loop. */
public final class UnixSockets implements KubeletSockets {
    /** The limit of the kubelet's client, which is grpc-go's default. */
    public static final int MAX_INBOUND_BYTES = 4 * 1024 * 1024;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Executor executor = Executors.newVirtualThreadPerTaskExecutor();

    @Override
    public Server serve(Path socket, BindableService service) throws IOException {
        Files.createDirectories(socket.toAbsolutePath().getParent());
        Files.deleteIfExists(socket);
        return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .executor(executor)
                .addService(service)
                .build()
                .start();
    }

    @Override
    public ManagedChannel connect(Path socket) {
        return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelFactory(NioDomainSocketChannel::new)
                .eventLoopGroup(loop)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .overrideAuthority("localhost")
                .usePlaintext()
                .executor(executor)
                .maxInboundMessageSize(MAX_INBOUND_BYTES)
                .build();
    }

    @Override
    public boolean socket(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).isOther();
    }

    @Override
    public void close() {
        var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
