package io.gpushare.model.claims;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.ResourceClaim.Result;
import io.gpushare.model.codec.Decoded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimDecoderTest {
    private static final String DRIVER = "gpu.example.com";
    private static final ClaimDecoder DECODER = new ClaimDecoder(DRIVER, "node-1");
    private static final CardId A = new CardId("GPU-A");
    private static final CardId B = new CardId("GPU-B");
    private static final CardId INSTANCE = new CardId("MIG-C");
    private static final CardId UNKNOWN_MEMORY = new CardId("GPU-D");
    private static final Inventory NODE = new Inventory(
                    MemoryUnit.GIB,
                    null,
                    List.of(
                            Card.of("GPU-A", 0, Memory.ofGib(8)).withIsolation(CardIsolation.of(Isolation.MPS)),
                            Card.of("GPU-B", 1, Memory.ofGib(24)),
                            new Card(
                                    INSTANCE,
                                    2,
                                    0,
                                    "simulated",
                                    Memory.ofGib(6),
                                    new Card.Details(
                                            null,
                                            null,
                                            null,
                                            true,
                                            new MigInstance(new CardId("GPU-P"), "1g.6gb", 1, 0, List.of()))),
                            Card.of("GPU-D", 3, new Memory(0))))
            .withBeside(Share.ALL_CORES);

    @Test
    void whatIsConsumedOfACardIsAShareOfIt() {
        assertThat(shares(result("gpu", "gpu-a", "3Gi", "20"), result("other", "gpu-a", "2147483648", "0")))
                .isEqualTo(Map.of(
                        "gpu", Map.of(A, Share.memory(3).plus(Share.cores(20))),
                        "other", Map.of(A, Share.memory(2))));
    }

    @Test
    void allOfACardIsTheCardTakenWhole() {
        assertThat(shares(result("gpu", "gpu-a", "8Gi", "0"))).isEqualTo(Map.of("gpu", Map.of(A, Share.WHOLE_CARD)));
        assertThat(shares(result("gpu", "mig-c", "6Gi", "0")))
                .isEqualTo(Map.of("gpu", Map.of(INSTANCE, Share.INSTANCE)));
    }

    @Test
    void allOfACardWithALimitOfCoresIsAShare() {
        assertThat(shares(result("gpu", "gpu-a", "8Gi", "50")))
                .isEqualTo(Map.of("gpu", Map.of(A, Share.memory(8).plus(Share.cores(50)))));
    }

    @Test
    void aResultWithoutAmountsIsTheWholeCardAsBeforeKubernetes136() {
        assertThat(shares(whole("gpu", "gpu-b"), whole("gpu", "gpu-d")))
                .isEqualTo(Map.of("gpu", Map.of(B, Share.WHOLE_CARD, UNKNOWN_MEMORY, Share.WHOLE_CARD)));
    }

    @Test
    void aRequestThatFillsOneOfItsCardsOnlyHasSharesOfAll() {
        assertThat(shares(result("gpu", "gpu-a", "8Gi", "0"), result("gpu", "gpu-b", "8Gi", "0")))
                .isEqualTo(Map.of("gpu", Map.of(A, Share.memory(8), B, Share.memory(8))));
    }

    @Test
    void aWholeInstanceBesideAnythingElseIsAllItsMemory() {
        assertThat(shares(result("gpu", "mig-c", "6Gi", "0"), result("other", "gpu-a", "3Gi", "0")))
                .isEqualTo(Map.of("gpu", Map.of(INSTANCE, Share.memory(6)), "other", Map.of(A, Share.memory(3))));
        assertThat(shares(result("gpu", "mig-c", "6Gi", "0"), result("gpu", "gpu-a", "8Gi", "0")))
                .isEqualTo(Map.of("gpu", Map.of(INSTANCE, Share.memory(6), A, Share.memory(8))));
    }

    @Test
    void administrativeAccessTakesNothingAndIsAClaimOfItsOwn() {
        assertThat(decode(admin("watch", "gpu-a"), admin("watch", "gpu-b"))).isEqualTo(new Decoded.Absent<>());
        assertThat(reason(claim(List.of(), admin("watch", "gpu-a"), result("gpu", "gpu-a", "3Gi", "0"))))
                .contains("write the requests with adminAccess as a claim of its own");
    }

    @Test
    void aClaimWithoutCardsOfThisDriverIsNotOurs() {
        assertThat(decode()).isEqualTo(new Decoded.Absent<>());
        assertThat(decode(new Result("nic", "nic.example.com", "node-1", "eth0", false, Map.of(), "")))
                .isEqualTo(new Decoded.Absent<>());
    }

    @Test
    void resultsAndConfigurationsOfOtherDriversAreLeftToThem() {
        ResourceClaim claim = claim(
                List.of("nic.example.com", ""),
                new Result("nic", "nic.example.com", "other", "eth0", false, Map.of("memory", "x"), ""),
                result("gpu", "gpu-a", "3Gi", "0"));

        assertThat(DECODER.decode(claim, NODE).valid().orElseThrow().cards()).containsExactly(A);
    }

    @Test
    void aConfigurationForThisDriverIsRefused() {
        assertThat(reason(claim(List.of(DRIVER), result("gpu", "gpu-a", "3Gi", "0"))))
                .isEqualTo("claim team/worker: it, or its device class, has an opaque configuration for"
                        + " gpu.example.com, which reads none: remove it");
    }

    @Test
    void anUnknownDeviceAndAnotherNodesPoolAreRefused() {
        assertThat(reason(claim(List.of(), result("gpu", "gpu-z\n", "3Gi", "0"))))
                .isEqualTo("claim team/worker: its device 'gpu-z\\n' is not a card of this node any more: recreate"
                        + " the pod");
        assertThat(reason(claim(List.of(), new Result("gpu", DRIVER, "node-2", "gpu-a", false, Map.of(), ""))))
                .isEqualTo("claim team/worker: its device is in pool 'node-2', and this node has pool node-1: recreate"
                        + " the pod");
    }

    @Test
    void anAmountThatIsNoMultipleOfTheUnitIsRefused() {
        assertThat(reason(claim(List.of(), result("gpu", "gpu-a", "1536Mi", "0"))))
                .isEqualTo("claim team/worker: '1536Mi' of memory is no multiple of this node's unit, 1 GiB, which may"
                        + " have changed since it was allocated: recreate the pod");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1Gi", "0", "0.5", "1e99", "9223372036854775808"})
    void amountsOfMemoryThatNothingAllocatesAreRefused(String amount) {
        assertThat(reason(claim(List.of(), result("gpu", "gpu-a", amount, "0"))))
                .startsWith("claim team/worker: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "101", "500m", "1Ei"})
    void percentagesThatNothingAllocatesAreRefused(String cores) {
        assertThat(reason(claim(List.of(), result("gpu", "gpu-a", "3Gi", cores))))
                .startsWith("claim team/worker: '" + cores + "' of cores can't be allocated");
    }

    /** What kube-scheduler 1.36.2 makes of 8Ei and of 1e19. */
    @ParameterizedTest
    @ValueSource(strings = {"-9223372036854775808", "0", "-1Gi"})
    void anAmountThatOverflowedMakesTheSumOfItsCardWrong(String amount) {
        ResourceClaim claim = claim(List.of(), result("gpu", "gpu-b", "1Gi", "0"), result("gpu", "gpu-a", amount, "0"));
        assertThat(DECODER.miscounted(claim))
                .hasValueSatisfying(sentence -> assertThat(sentence)
                        .startsWith("kube-scheduler counts '" + amount
                                + "' of memory of card gpu-a for claim team/worker, so its sum"));
        assertThat(reason(claim)).startsWith("claim team/worker: ");
        assertThat(new ClaimDecoder(DRIVER, "node-2").miscounted(claim)).isEmpty();
        assertThat(DECODER.miscounted(claim(List.of(), result("gpu", "gpu-a", "1Gi", "-1"))))
                .isPresent();
        assertThat(DECODER.miscounted(claim(List.of(), result("gpu", "gpu-a", "3Gi", "0"))))
                .isEmpty();
    }

    @Test
    void moreThanACardIsTheWholeCard() {
        assertThat(shares(result("gpu", "gpu-a", "7Ei", "0"))).isEqualTo(Map.of("gpu", Map.of(A, Share.WHOLE_CARD)));
    }

    @Test
    void oneCardTwiceInOneRequestIsRefused() {
        assertThat(reason(claim(List.of(), result("gpu", "gpu-a", "1Gi", "0"), result("gpu", "gpu-a", "1Gi", "0"))))
                .isEqualTo("claim team/worker: request 'gpu' has card GPU-A twice: recreate the pod");
    }

    @Test
    void thirtyTwoDevicesArePossibleAndNoMore() {
        Result[] results = Stream.iterate(0, i -> i + 1)
                .limit(33)
                .map(i -> result("r" + i, "gpu-b", "1Gi", "0"))
                .toArray(Result[]::new);

        assertThat(reason(claim(List.of(), results))).contains("it has 33 devices, and at most 32 are possible");
        assertThat(decode(Stream.of(results).limit(32).toArray(Result[]::new))
                        .valid()
                        .orElseThrow()
                        .shareOn(B))
                .isEqualTo(Share.memory(32));
    }

    @Test
    void aReasonIsOneShortLineWhateverTheClaimIsCalled() {
        String text = "x\n".repeat(10_000);
        Decoded<Allocation> decoded = DECODER.decode(
                new ResourceClaim("uid", text, text, List.of(), List.of(result(text, text, text, text)), List.of()),
                NODE);

        assertThat(decoded)
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason())
                                .hasSizeLessThan(800)
                                .doesNotContain("\n"));
    }

    private static Map<String, Map<CardId, Share>> shares(Result... results) {
        Map<String, Map<CardId, Share>> shares = new HashMap<>();
        decode(results)
                .valid()
                .orElseThrow()
                .containers()
                .forEach(container -> shares.put(container.name(), container.shares()));
        return shares;
    }

    private static String reason(ResourceClaim claim) {
        return switch (DECODER.decode(claim, NODE)) {
            case Decoded.Malformed<Allocation>(String reason) -> reason;
            case Decoded<Allocation> other -> throw new AssertionError("not refused: " + other);
        };
    }

    private static Decoded<Allocation> decode(Result... results) {
        return DECODER.decode(claim(List.of(), results), NODE);
    }

    private static ResourceClaim claim(List<String> configured, Result... results) {
        return new ResourceClaim("uid", "team", "worker", List.of(), List.of(results), configured);
    }

    private static Result result(String request, String device, String memory, String cores) {
        return new Result(request, DRIVER, "node-1", device, false, Map.of("memory", memory, "cores", cores), "");
    }

    private static Result whole(String request, String device) {
        return new Result(request, DRIVER, "node-1", device, false, Map.of(), "");
    }

    private static Result admin(String request, String device) {
        return new Result(request, DRIVER, "node-1", device, true, Map.of(), "");
    }
}
