package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.program.StartedProgram;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Calls on the plugin's sockets that no kubelet makes: unknown, repeated, malformed and huge device IDs, and bytes that
 * are no message. One for twenty of {@code -Dgpushare.events}.
 */
class HostileCallsIT extends WholeProgram {
    private static final long SEED = 20_261_122;
    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private final Random random = new Random(SEED);
    private final Map<Status.Code, Integer> answers = new EnumMap<>(Status.Code.class);

    @Test
    void noCallCostsACardAThreadOrTheNextCall() throws Exception {
        cards(CARD_A, CARD_B);
        StartedProgram running = runProcess(METRICS);
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod("w", "Pending", Map.of(MEMORY, "2"), memoryOn(A, 2));
        list("w");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));
        call(AllocateRequest.getDefaultInstance().toByteArray(), "Allocate", MEMORY);
        int before = threads(running);

        int calls = Integer.getInteger("gpushare.events", 10_000) / 20;
        for (int number = 0; number < calls; number++) {
            String resource = random.nextBoolean() ? MEMORY : CARDS;
            boolean allocate = random.nextBoolean();
            byte[] message = allocate ? allocate().toByteArray() : preferred().toByteArray();
            call(
                    random.nextInt(4) == 0 ? damaged(message) : message,
                    allocate ? "Allocate" : "GetPreferredAllocation",
                    resource);
        }
        System.out.println(
                "hostile calls on the plugin's sockets: " + (calls + 1) + ", seed " + SEED + ", answered " + answers);

        assertThat(answers.keySet())
                .contains(Status.Code.OK, Status.Code.FAILED_PRECONDITION)
                .doesNotContain(Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED);
        assertThat(kubelet.devices(MEMORY).orElseThrow()).hasSize(30);
        assertThat(kubelet.devices(CARDS).orElseThrow()).hasSize(2);
        assertThat(kubelet.registrations()).hasSize(2);
        // The executor keeps idle threads for a while, but not one for each call.
        await().until(() -> threads(running) <= before + 8);
        api.pod("good", "Pending", Map.of(MEMORY, "3"), memoryOn(B, 3));
        list("w", "good");
        assertThat(allocate(MEMORY, preferred(MEMORY, 3))).containsEntry("NVIDIA_VISIBLE_DEVICES", B);
        assertThat(log()).doesNotContain("the plugin exits");
    }

    private static int threads(StartedProgram process) {
        try (var tasks = Files.list(Path.of("/proc", String.valueOf(process.pid()), "task"))) {
            return (int) tasks.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void call(byte[] message, String method, String resource) {
        MethodDescriptor<byte[], byte[]> descriptor = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("v1beta1.DevicePlugin/" + method)
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
        Status.Code code = Status.Code.OK;
        try {
            ClientCalls.blockingUnaryCall(
                    kubelet.plugin(resource).connection().channel(),
                    descriptor,
                    CallOptions.DEFAULT.withDeadlineAfter(
                            Patience.of(Patience.USUAL).toSeconds(), TimeUnit.SECONDS),
                    message);
        } catch (StatusRuntimeException e) {
            code = e.getStatus().getCode();
            if (code == Status.Code.FAILED_PRECONDITION) {
                assertThat(e.getStatus().getDescription()).isNotBlank();
            }
        }
        answers.merge(code, 1, Integer::sum);
    }

    private AllocateRequest allocate() {
        AllocateRequest.Builder request = AllocateRequest.newBuilder();
        for (int containers = random.nextInt(3); containers >= 0; containers--) {
            request.addContainerRequests(ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids()));
        }
        return request.build();
    }

    private PreferredAllocationRequest preferred() {
        return PreferredAllocationRequest.newBuilder()
                .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                        .addAllAvailableDeviceIDs(ids())
                        .addAllMustIncludeDeviceIDs(ids())
                        .setAllocationSize(random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(6) - 1))
                .build();
    }

    private List<String> ids() {
        return switch (random.nextInt(60)) {
            case 0 -> Collections.nCopies(50_000, A + "::0");
            case 1 -> List.of("x".repeat(1 << 20));
            // More than the largest request of 16 MiB.
            case 2 -> List.of("y".repeat(random.nextInt(8) == 0 ? 17 << 20 : 1 << 16));
            default -> {
                List<String> ids = new ArrayList<>();
                for (int count = random.nextInt(5); count > 0; count--) {
                    ids.add(id());
                }
                yield ids;
            }
        };
    }

    private String id() {
        return switch (random.nextInt(8)) {
            case 0 -> B;
            case 1 -> A;
            case 2 -> A + "::" + random.nextInt();
            case 3 -> "GPU-ffffffff-0000-4000-8000-00000000000f::1";
            case 4 -> A + "::0::0";
            case 5 -> "\u0000\ud83d\ude00 ::" + random.nextInt(3);
            default -> A + "::" + random.nextInt(16);
        };
    }

    private byte[] damaged(byte[] message) {
        byte[] bytes = ByteString.copyFrom(message).toByteArray();
        if (bytes.length == 0 || random.nextInt(3) == 0) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            return noise;
        }
        for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
    }
}
