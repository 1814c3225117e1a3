package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a tenant may write into claims, or who may write their status: each is served right, or refused with a sentence.
 */
class HostileClaimsIT extends WholeProgramWithClaims {
    private static final String OTHER_DRIVER = "gpu.example.com";

    @BeforeEach
    void begin() throws Exception {
        cards(CARD_A, CARD_B);
        serve();
        slice();
    }

    private static ObjectNode configured(ObjectNode claim, String driver) {
        ((ObjectNode) claim.at("/status/allocation/devices"))
                .putArray("config")
                .addObject()
                .put("source", "FromClaim")
                .putObject("opaque")
                .put("driver", driver)
                .putObject("parameters")
                .put("sharing", "all of it");
        return claim;
    }

    @Test
    void anOpaqueConfigurationOfAnotherDriverIsLeftToItAndOneOfThisDriverIsRefused() throws Exception {
        api.put(configured(document("theirs", "uid-theirs", result("gpu", A, "3Gi", "s1")), OTHER_DRIVER));
        api.put(configured(document("ours", "uid-ours", result("gpu", A, "3Gi", "s2")), "gpushare.io"));
        prepare("theirs");
        assertThat(environment("theirs")).contains("NVIDIA_VISIBLE_DEVICES=" + A, "GPUSHARE_MEMORY_MIB=3072");
        assertThat(error("ours"))
                .isEqualTo("claim default/ours: it, or its device class, has an opaque configuration for gpushare.io,"
                        + " which reads none: remove it");
    }

    /** Four pods of neighbours waited for ever on that card, beside an empty one, and nobody knew why. */
    @Test
    void anAmountThatOverflowedInKubeSchedulerIsReportedAtTheNode() throws Exception {
        claim("huge", result("gpu", A, "-9223372036854775808", "s1"));
        assertThat(error("huge")).contains("can't be allocated");
        api.awaitEvent("GpuCardMiscounted", "of card " + name(A) + " for claim default/huge");
        claim("first", result("gpu", A, "9Gi", "s2"));
        claim("second", result("gpu", A, "9Gi", "s3"));
        prepare("first");
        assertThat(error("second")).contains("was given twice");
        api.awaitEvent("GpuCardMiscounted", "was given twice");
    }

    @Test
    void thirtyTwoRequestsAreServedAsFarAsTheCardHasThem() throws Exception {
        ObjectNode[] requests = IntStream.range(0, 32)
                .mapToObj(i -> result("r" + i, i < 15 ? A : B, "1Gi", "s" + i))
                .toArray(ObjectNode[]::new);
        claim("many", requests);
        assertThat(error("many")).contains("card " + B + " does not have as much: recreate the pod");
        for (int i = 30; i < 32; i++) {
            requests[i].put("driver", OTHER_DRIVER);
        }
        claim("many", requests);
        assertThat(prepare("many").getDevicesList()).hasSize(30);
        assertThat(unprepare("many")).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void aClaimSharedByTenPodsIsOneShareWithOneFile() throws Exception {
        ObjectNode claim = document("shared", "uid-shared", result("gpu", A, "10Gi", "s1"));
        ArrayNode pods = (ArrayNode) claim.at("/status/reservedFor");
        for (int i = 0; i < 9; i++) {
            pods.addObject().put("resource", "pods").put("name", "p" + i).put("uid", "uid-pod-p" + i);
        }
        api.put(claim);
        var first = prepare("shared");
        for (int pod = 1; pod < 10; pod++) {
            assertThat(prepare("shared")).isEqualTo(first);
        }
        assertThat(files()).containsExactly("gpushare.io-claim_uid-shared.json");
        claim("more", result("gpu", A, "6Gi", "s2"));
        assertThat(error("more")).contains("held by claim default/shared");
    }

    @Test
    void aRequestOfMoreContainersThanAreCountedIsRefused() throws Exception {
        claim("crowd", result("gpu", A, "3Gi", "s1"));
        pod("crowd", containers(64, "{\"name\": \"gpu\"}"));
        prepare("crowd");
        assertThat(unprepare("crowd")).isEmpty();
        pod("crowd", containers(65, "{\"name\": \"gpu\"}"));
        assertThat(error("crowd"))
                .isEqualTo("claim default/crowd: more than 64 containers use request 'gpu': make a claim for each pod,"
                        + " by a ResourceClaimTemplate");
        // Claims that are named before it would hide it.
        String others = IntStream.range(0, 256)
                .mapToObj(i -> "{\"name\": \"more\", \"request\": \"r" + i + "\"}")
                .collect(Collectors.joining(", "));
        pod("crowd", containers(1, others + ", {\"name\": \"gpu\"}"));
        assertThat(error("crowd"))
                .isEqualTo("claim default/crowd: the containers of pod default/crowd name claims 256 times or more, of"
                        + " which no more are read: name fewer");
        assertThat(files()).isEmpty();
    }

    private static String containers(int count, String claims) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"name\": \"c" + i + "\", \"resources\": {\"claims\": [" + claims + "]}}")
                .collect(Collectors.joining(", "));
    }

    @Test
    void aStatusThatSomebodyForgedGivesNothing() throws Exception {
        claim("multiple", result("gpu", A, "1500Mi", "s1"));
        assertThat(error("multiple"))
                .isEqualTo("claim default/multiple: '1500Mi' of memory is no multiple of this node's unit, 1 GiB, which"
                        + " may have changed since it was allocated: recreate the pod");
        for (String amount : new String[] {"-3Gi", "1e30", "0.5", "much", ""}) {
            claim("amount", result("gpu", A, amount, "s2"));
            assertThat(error("amount")).startsWith("claim default/amount: '" + amount + "' of memory can't be");
        }
        claim("none", result("gpu", A, "0", "s3"));
        assertThat(error("none")).isNotEmpty();
        claim("device", result("gpu", A, "3Gi", "s4").put("device", "../../etc/passwd"));
        assertThat(error("device")).contains("claim default/device: ");
        claim("admin", result("gpu", A, "3Gi", "s5").put("adminAccess", true), result("gpu", B, "3Gi", "s9"));
        assertThat(error("admin")).contains("write the requests with adminAccess as a claim of its own");
        claim("twice", result("gpu", A, "3Gi", "s6"), result("gpu", A, "3Gi", "s7"));
        assertThat(error("twice")).isNotEmpty();
        claim("all", result("gpu", A, "900Gi", "s8"));
        prepare("all");
        assertThat(environment("all")).as("no more than a card").containsExactly("NVIDIA_VISIBLE_DEVICES=" + A);
        assertThat(unprepare("../uid")).isNotEmpty();
        assertThat(unprepare("all")).isEmpty();
        assertThat(files()).isEmpty();
        assertThat(metrics()).contains("gpushare_plugin_claims_refused_total 10.0");
    }

    @Test
    void aClaimThatIsForgedOntoACardInUseTakesNothingFromItsHolder() throws Exception {
        claim("holder", result("gpu", A, "12Gi", "s1"));
        prepare("holder");
        var before = environment("holder");
        claim("forged", result("gpu", A, "12Gi", "s1"));
        assertThat(error("forged")).contains("was given twice: it is held by claim default/holder");
        // The status of the holder itself is changed under it: it keeps what it has, and the change is refused.
        claim("holder", result("gpu", B, "12Gi", "s1"));
        claim("other", result("gpu", B, "12Gi", "s9"));
        prepare("other");
        assertThat(error("holder")).contains("was given twice: it is held by claim default/other");
        assertThat(environment("holder")).isEqualTo(before);
        assertThat(error("forged")).contains("held by claim default/holder");
        await().until(() -> files().size() == 2);
    }
}
