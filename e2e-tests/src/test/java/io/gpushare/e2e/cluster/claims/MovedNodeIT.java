package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Pods;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node that moves between claims and the device plugin's resources while its pods run. */
class MovedNodeIT extends ClaimsScenario {
    /** Running pods of each way, of 3 units each: they fit on one of the two cards. */
    private static final int MOST = 3;

    private static final String MEMORY = "aliyun.com/gpu-mem";

    @AfterEach
    void serveClaimsAgain() {
        toClaims();
    }

    private static void toClaims() {
        cluster.kubectl().run("label", "node", cluster.node(), "--overwrite", SERVE + "=dra");
        shared.installation().ready(DRIVER);
    }

    private static void toResources() {
        cluster.kubectl().run("label", "node", cluster.node(), SERVE + "-");
        shared.installation().ready(Installation.PLUGIN);
    }

    /** The cards in the node's slice, in small letters. */
    private static Set<String> offered() {
        Set<String> cards = new HashSet<>();
        cluster.kubectl()
                .json("get", "resourceslices")
                .path("items")
                .forEach(slice -> slice.at("/spec/devices")
                        .forEach(device -> cards.add(device.path("name").asText())));
        return cards;
    }

    private static String cardOf(String pod) {
        return sees(pod).split(" ", -1)[0];
    }

    @Test
    void eachCardMovesWhenItsPodsHaveEndedThereAndBack() {
        create("claims", "share-3");
        JsonNode claims = pods.running("claims");
        String first = cardOf("claims");

        toResources();
        shared.awaitAllocatable(15, 1);
        assertThat(offered()).isEmpty();
        pods.createMemory("plugin", 3);
        JsonNode plugin = pods.running("plugin");
        String second = cardOf("plugin");
        assertThat(second).startsWith("GPU-").isNotEqualTo(first);
        undisturbed(claims);

        toClaims();
        Await.until(PATIENCE, "the first card is offered", MovedNodeIT::offered, now -> !now.isEmpty());
        assertThat(offered()).containsExactly(first.toLowerCase(Locale.ROOT));
        create("beside", "share-6");
        assertThat(cardOf("beside")).isEqualTo(first);
        create("whole", "card");
        pods.refused("whole", "cannot allocate all claims");
        undisturbed(plugin);

        pods.delete("plugin");
        assertThat(cardOf("whole")).isEqualTo(second);
        pods.delete("whole");

        toResources();
        shared.awaitAllocatable(15, 1);
        undisturbed(claims);
        pods.delete("claims", "beside");
        shared.awaitAllocatable(30, 2);
        assertThat(files()).isEmpty();
    }

    /** The number of moves is an option: {@code -Dgpushare.moves=10}. */
    @Test
    void underLoadNoCardIsGivenInBothWaysAndNothingRestarts() {
        int moves = Integer.getInteger("gpushare.moves", 4);
        Map<String, JsonNode> running = new HashMap<>();
        int looks = 0;
        int names = 0;
        int both = 0;
        create("c" + names, "share-3");
        pods.running("c" + names);
        names++;
        for (int move = 0; move < moves; move++) {
            boolean claims = move % 2 == 1;
            if (claims) {
                cluster.kubectl().run("label", "node", cluster.node(), "--overwrite", SERVE + "=dra");
            } else {
                cluster.kubectl().run("label", "node", cluster.node(), SERVE + "-");
            }
            for (int round = 0; round < 12; round++) {
                if (round == 4) {
                    // The rounds before it meet both processes.
                    shared.installation().ready(claims ? DRIVER : Installation.PLUGIN);
                }
                create("c" + names, "share-3");
                pods.createMemory("p" + names, 3);
                names++;
                JsonNode all = pods.all();
                Set<String> ofClaims = cards(all, true);
                Set<String> ofResources = cards(all, false);
                looks++;
                both += ofClaims.isEmpty() || ofResources.isEmpty() ? 0 : 1;
                ofClaims.retainAll(ofResources);
                assertThat(ofClaims).as("cards given in both ways").isEmpty();
                for (JsonNode pod : all) {
                    if (Pods.ready(pod)) {
                        running.put(pod.at("/metadata/name").asText(), pod);
                        assertThat(pod.at("/status/containerStatuses/0/restartCount")
                                        .intValue())
                                .isZero();
                    }
                }
                endSome(all, names, claims ? 'p' : 'c');
                Await.pause();
            }
        }
        System.out.println("claims: " + moves + " moves, " + running.size() + " pods ran of " + (2 * names - 1) + ", "
                + looks + " looks, in " + both + " of them pods of both ways ran");
        assertThat(both).isPositive();
    }

    /**
     * Ends rejected pods and those that have waited for long, and all but the newest running ones of each way; now and
     * then all of the former way, so that their cards move.
     */
    private static void endSome(JsonNode all, int names, char former) {
        List<String> ended = new ArrayList<>();
        for (JsonNode pod : all) {
            String name = pod.at("/metadata/name").asText();
            int age = names - Integer.parseInt(name.substring(1));
            boolean failed = pod.at("/status/phase").asText().equals("Failed");
            boolean leaves = names % 12 == 11 && name.charAt(0) == former;
            int newer = (int) all.valueStream()
                    .filter(Pods::ready)
                    .map(each -> each.at("/metadata/name").asText())
                    .filter(each -> each.charAt(0) == name.charAt(0) && newer(each, name))
                    .count();
            boolean keep = !failed && !leaves && (Pods.ready(pod) ? newer < MOST : age < 8);
            if (!keep && !pod.at("/metadata/deletionTimestamp").isTextual()) {
                ended.add(name);
            }
        }
        if (!ended.isEmpty()) {
            List<String> command = new ArrayList<>(List.of("-n", "default", "delete", "pod", "--wait=false"));
            command.addAll(ended);
            cluster.kubectl().run(command.toArray(String[]::new));
        }
    }

    private static boolean newer(String one, String other) {
        return Integer.parseInt(one.substring(1)) > Integer.parseInt(other.substring(1));
    }

    /** The cards of the running pods that have them by claims, as these say, or by the device plugin, as it wrote. */
    private static Set<String> cards(JsonNode all, boolean claims) {
        Map<String, String> devices = new HashMap<>();
        if (claims) {
            cluster.kubectl()
                    .json("-n", "default", "get", "resourceclaims")
                    .path("items")
                    .forEach(claim -> devices.put(
                            claim.at("/metadata/name").asText(),
                            claim.at("/status/allocation/devices/results/0/device")
                                    .asText()));
        }
        Set<String> cards = new HashSet<>();
        for (JsonNode pod : all) {
            if (!Pods.ready(pod) || pod.at("/metadata/deletionTimestamp").isTextual()) {
                continue;
            }
            String claim =
                    pod.at("/status/resourceClaimStatuses/0/resourceClaimName").asText();
            if (claims && devices.containsKey(claim)) {
                cards.add(devices.getOrDefault(claim, ""));
            }
            if (!claims && pod.at("/spec/containers/0/resources/limits").has(MEMORY)) {
                cards.add(pods.sees(pod.at("/metadata/name").asText(), "main").toLowerCase(Locale.ROOT));
            }
        }
        return cards;
    }
}
