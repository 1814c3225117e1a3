package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node of four cards that moves between claims and resources while short pods of both kinds come all the time. A pod
 * of each kind has a card throughout; the other two cards move.
 */
@Tag("release")
class MovedUnderLoadIT extends ClaimsScenario {
    private static final String CLAIMS = "claims";
    private static final String RESOURCES = "resources";
    private static final int CARDS = 4;
    private static final int UNITS_OF_A_CARD = 15;
    /** How often the node moves to claims and back: a longer form is {@code -Dgpushare.moves=5}. */
    private static final int MOVES = Integer.getInteger("gpushare.moves", 1);

    private static final Duration PERIOD = Duration.ofMinutes(3);

    /**
     * Writes down that the pod has the card, and then looks at who else has: of two pods that should not have it
     * together at least one sees the other. The pod's file is removed before it ends.
     */
    private static final String PROGRAM = """
        way=$1 units=$2 began=$(date +%s)
        case $NVIDIA_VISIBLE_DEVICES in GPU-*) ;; *) echo "no card: $NVIDIA_VISIBLE_DEVICES"; exit 1;; esac
        held=/held/$NVIDIA_VISIBLE_DEVICES
        mkdir -p $held
        : >$held/$way.$HOSTNAME.$units
        sum=0
        for each in $held/*; do
            case $each in $held/$way.*) sum=$((sum + ${each##*.}));; *) echo "by the other way: $each"; exit 1;; esac
        done
        [ $sum -le UNITS ] || { echo "given twice:" $held/*; exit 1; }
        if [ $units -lt UNITS ] && [ $((began % 4)) = 0 ]; then sleep 30; else sleep 2; fi
        echo "$began $(date +%s) $way $NVIDIA_VISIBLE_DEVICES" >>/held/log
        rm $held/$way.$HOSTNAME.$units
        """.replace("UNITS", String.valueOf(UNITS_OF_A_CARD));

    private static Path held;

    @BeforeAll
    static void withExtender() throws IOException {
        install("isolation: {provider: none}", "", List.of("scheduler-extender.yaml"));
        shared.installation().ready(Installation.EXTENDER);
        cluster.configureScheduler(ClusterScenario.ROOT.resolve("deploy/scheduler"));
        held = Files.createDirectories(cluster.sharedFolder().resolve("held"));
        Files.writeString(held.resolve("program"), PROGRAM);
        Files.writeString(held.resolve("log"), "");
    }

    @AfterAll
    static void withoutExtender() {
        shared.installation().removePrograms();
    }

    @AfterEach
    void twoCardsAndClaimsAgain() {
        cluster.kubectl().run("-n", "default", "delete", "jobs", "--all", "--cascade=foreground", "--wait");
        pods.deleteEverything();
        node.serves(true);
        shared.installation().cards(ClusterScenario.twoT4());
    }

    @Test
    void thereAndBackUnderLoadGivesNoCardTwiceAndFailsNoPod() throws Exception {
        shared.installation()
                .cards(Stream.of("a", "b", "c", "d")
                        .map(seed -> "card kind=T4 memory=15GiB uuid-seed=" + seed)
                        .toArray(String[]::new));
        Await.until(PATIENCE, "the slice has four cards", ClaimsScenario::offered, cards -> cards.size() == CARDS);
        create("long-claims", "share-3");
        JsonNode longClaims = hold("long-claims", CLAIMS);
        node.serves(false);
        shared.awaitAllocatable(45, 3);
        pods.createMemory("long-resources", 3);
        JsonNode longResources = hold("long-resources", RESOURCES);

        job("claims-share", CLAIMS, 6, 3, "share-6");
        job("claims-whole", CLAIMS, UNITS_OF_A_CARD, 1, "card");
        job("resources-share", RESOURCES, 6, 3, "aliyun.com/gpu-mem: 6");
        job("resources-whole", RESOURCES, UNITS_OF_A_CARD, 1, "aliyun.com/gpu-count: 1");
        period(0, RESOURCES);
        for (int move = 1; move <= MOVES; move++) {
            node.serves(true);
            period(move, CLAIMS);
            node.serves(false);
            period(move, RESOURCES);
        }
        undisturbed(longClaims);
        undisturbed(longResources);
        noPodFailed();
        cluster.kubectl().run("-n", "default", "delete", "jobs", "--all", "--cascade=foreground", "--wait");
        cardsMovedWithTheirPods();
        Await.until(PATIENCE, "one claim is left", ClaimsScenario::files, files -> files.size() == 1);
        pods.delete("long-claims", "long-resources");
        shared.awaitAllocatable(CARDS * UNITS_OF_A_CARD, CARDS);
        assertThat(files()).isEmpty();
        assertThat(cluster.kubectl().run("-n", "default", "get", "resourceclaims", "-o", "name"))
                .isEmpty();
    }

    /** Waits until the pod runs, and writes down that it has its card, as the short pods do. */
    private static JsonNode hold(String pod, String way) throws IOException {
        Path card = Files.createDirectories(held.resolve(sees(pod).split(" ", -1)[0]));
        Files.createFile(card.resolve(way + "." + pod + ".3"));
        return pods.pod(pod);
    }

    /** Short pods that come until the Job is deleted. */
    private static void job(String name, String way, int units, int parallelism, String request) {
        boolean claims = way.equals(CLAIMS);
        cluster.kubectl().apply("""
            apiVersion: batch/v1
            kind: Job
            metadata: {name: %s, namespace: default}
            spec:
              completions: 100000
              parallelism: %d
              backoffLimit: 100
              template:
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 1
                  %s
                  containers:
                    - name: main
                      image: %s
                      imagePullPolicy: IfNotPresent
                      command: [sh, /held/program, "%s", "%d"]
                      resources: {%s}
                      volumeMounts: [{name: held, mountPath: /held}]
                  volumes: [{name: held, hostPath: {path: %s, type: Directory}}]
            """.formatted(
                        name,
                        parallelism,
                        claims ? "resourceClaims: [{name: gpu, resourceClaimTemplateName: " + request + "}]" : "",
                        cluster.workloadImage(),
                        way,
                        units,
                        claims ? "claims: [{name: gpu}]" : "limits: {" + request + "}",
                        held));
    }

    /** Waits until some pods of both Jobs of that way have completed since it was chosen. */
    private static void period(int move, String way) {
        Map<String, Integer> before = succeeded();
        Await.until(
                PERIOD,
                "move " + move + ": shares and whole cards by " + way,
                MovedUnderLoadIT::succeeded,
                now -> more(before, now, way + "-share") >= 5 && more(before, now, way + "-whole") >= 1);
        System.out.println("claims: move " + move + ", offered by " + way + ": " + before + " became " + succeeded());
    }

    private static int more(Map<String, Integer> before, Map<String, Integer> now, String job) {
        return now.getOrDefault(job, 0) - before.getOrDefault(job, 0);
    }

    private static Map<String, Integer> succeeded() {
        return cluster.kubectl()
                .json("-n", "default", "get", "jobs")
                .path("items")
                .valueStream()
                .collect(Collectors.toMap(
                        job -> job.at("/metadata/name").asText(),
                        job -> job.at("/status/succeeded").asInt()));
    }

    private static void noPodFailed() {
        List<String> failed = new ArrayList<>();
        for (JsonNode pod : pods.all()) {
            if (pod.at("/status/phase").asText().equals("Failed")) {
                failed.add(pod.at("/metadata/name").asText() + " " + pod.path("status"));
            }
        }
        assertThat(failed).isEmpty();
    }

    /** A short pod that ended, in seconds. */
    private record Ran(long began, long ended, String way, String card) {
        static Ran of(String line) {
            String[] words = line.split(" ", -1);
            return new Ran(Long.parseLong(words[0]), Long.parseLong(words[1]), words[2], words[3]);
        }

        boolean meets(Ran other) {
            return !way.equals(other.way) && began <= other.ended && other.began <= ended;
        }
    }

    private static void cardsMovedWithTheirPods() throws IOException {
        List<Ran> all = Files.readAllLines(held.resolve("log")).stream()
                .map(Ran::of)
                .sorted(Comparator.comparingLong(Ran::began))
                .toList();
        List<Integer> changes = new ArrayList<>();
        all.stream()
                .collect(Collectors.groupingBy(Ran::card))
                .forEach((_, ran) -> changes.add((int) IntStream.range(1, ran.size())
                        .filter(i -> !ran.get(i).way().equals(ran.get(i - 1).way()))
                        .count()));
        long met = all.stream().filter(ran -> all.stream().anyMatch(ran::meets)).count();
        System.out.println("claims: " + all.size() + " short pods, " + met + " while a short one of the other way ran;"
                + " changes of the way by card: " + changes);
        assertThat(changes)
                .as("a card that went there and back")
                .anySatisfy(each -> assertThat(each).isGreaterThanOrEqualTo(2));
    }
}
