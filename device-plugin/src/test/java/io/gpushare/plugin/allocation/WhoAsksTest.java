package io.gpushare.plugin.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Card;
import io.gpushare.model.CardId;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Inventory;
import io.gpushare.model.Memory;
import io.gpushare.model.MemoryUnit;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.Decoded;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WhoAsksTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final NodePicture EMPTY = NodePicture.of(new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15)))));

    @Test
    void theListedPodThatLacksItsDevicesAsksNotTheOlderOneOfTheSameDemand() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("older", 0, A, 3))
                .withPod(Pods.onCard("younger", 9, B, 3))
                .withListed(Pods.listed("younger"), Pods.START);

        assertFound(now(picture).find(Resource.MEMORY, 3, Set.of()), "younger", "main", Asker.Way.LACKS_DEVICES);
    }

    @Test
    void containersAskInTheOrderInWhichTheyStart() {
        NodePod pod = Pods.unwritten("p", 0, Pods.memory("one", 3), Pods.memory("two", 3));
        NodePicture picture = EMPTY.withPod(pod);

        assertFound(
                now(picture.withListed(Pods.listed("p"), Pods.START)).find(Resource.MEMORY, 3, Set.of()),
                "p",
                "one",
                Asker.Way.LACKS_DEVICES);
        Listed oneHas = Pods.holding("p", "one", "GPU-a::0", "GPU-a::1", "GPU-a::2");
        assertFound(
                now(picture.withListed(oneHas, Pods.START)).find(Resource.MEMORY, 3, Set.of()),
                "p",
                "two",
                Asker.Way.LACKS_DEVICES);
    }

    @Test
    void anInitContainerIsNeverListedSoOurAnswerTellsThatItIsPast() {
        NodePod pod =
                Pods.unwritten("p", 0, new ContainerDemand("load", ContainerRole.INIT, 2, 0), Pods.memory("main", 2));
        NodePicture picture = EMPTY.withPod(pod).withListed(Pods.listed("p"), Pods.START);

        assertFound(now(picture).find(Resource.MEMORY, 2, Set.of()), "p", "load", Asker.Way.LACKS_DEVICES);
        NodePicture answered = picture.withAnswer(
                new Answered(pod.ref(), Pods.gets("load", A, 2), Set.of("GPU-a::0", "GPU-a::1"), Pods.START));
        assertFound(now(answered).find(Resource.MEMORY, 2, Set.of()), "p", "main", Asker.Way.LACKS_DEVICES);
    }

    @Test
    void afterARestartOfOursAPodWhoseAppHasDevicesIsPastItsInitContainers() {
        NodePod running =
                Pods.unwritten("p", 0, new ContainerDemand("load", ContainerRole.INIT, 2, 0), Pods.memory("main", 2));
        NodePicture picture =
                EMPTY.withPod(running).withListed(Pods.holding("p", "main", "GPU-a::0", "GPU-a::1"), Pods.START);

        assertThat(now(picture).find(Resource.MEMORY, 2, Set.of())).isInstanceOf(Asker.Nobody.class);
    }

    @Test
    void ofTwoThatSeemToWaitTheOneThatCameFirstWasRejectedByTheKubelet() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("rejected", 9, A, 3))
                .withPod(Pods.onCard("here", 0, B, 3))
                .withListed(Pods.listed("rejected"), Pods.START)
                .withListed(Pods.listed("rejected", "here"), Pods.START.plusSeconds(1));

        assertFound(now(picture).find(Resource.MEMORY, 3, Set.of()), "here", "main", Asker.Way.LACKS_DEVICES);
        // Whatever devices the kubelet took by itself.
        assertFound(now(picture).find(Resource.MEMORY, 3, Set.of(A)), "here", "main", Asker.Way.LACKS_DEVICES);
    }

    /** Its containers have ended, so the kubelet lists it without devices, and the API server is slow to tell of the next. */
    @Test
    void onePodIsNotTakenForAnotherOfWhichTheApiHasNotTold() {
        NodePod ending = Pods.onCard("ending", 0, A, 3);
        NodePicture picture = EMPTY.withPod(ending)
                .withListed(Pods.listed("ending"), Pods.START)
                .withAnswer(new Answered(ending.ref(), Pods.gets("main", A, 3), Set.of("GPU-a::0"), Pods.START))
                .withListed(Pods.listed("ending", "stranger"), Pods.START.plusSeconds(1));

        assertThat(new WhoAsks(picture, true, false).find(Resource.MEMORY, 3, Set.of()))
                .isInstanceOf(Asker.Nobody.class);
        assertThat(new WhoAsks(picture, true, true).find(Resource.MEMORY, 3, Set.of()))
                .isInstanceOf(Asker.Nobody.class);
    }

    @Test
    void aPodThatCameWithOneThatIsGoneAlreadyAsks() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("here", 0, A, 3))
                .withListed(Pods.listed("here", "gone-meanwhile"), Pods.START);

        assertFound(
                new WhoAsks(picture, true, true).find(Resource.MEMORY, 3, Set.of()),
                "here",
                "main",
                Asker.Way.LACKS_DEVICES);
        assertThat(new WhoAsks(picture, true, false).find(Resource.MEMORY, 3, Set.of()))
                .isInstanceOf(Asker.Nobody.class);
    }

    @Test
    void aPodWhoseNameWasListedBeforeMayBeTheOneThatCameLast() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("reused", 0, A, 3))
                .withListed(Pods.listed("reused"), Pods.START)
                .withoutPod(Pods.onCard("reused", 0, A, 3).ref().uid())
                .withPod(anew(Pods.onCard("reused", 5, A, 3)))
                .withPod(Pods.onCard("other", 9, B, 3))
                .withListed(Pods.listed("reused", "other"), Pods.START.plusSeconds(1));

        assertThat(now(picture).find(Resource.MEMORY, 3, Set.of())).isInstanceOf(Asker.Several.class);
    }

    private static NodePod anew(NodePod pod) {
        PodRef ref = pod.ref();
        return new NodePod(
                new PodRef("another-uid", ref.namespace(), ref.name()),
                pod.created(),
                pod.ended(),
                pod.demand(),
                pod.allocation());
    }

    @Test
    void aPodThatEndedOrWasRefusedDoesNotAsk() {
        NodePod dead = Pods.ended(Pods.onCard("dead", 0, A, 3));
        NodePod rejected = Pods.onCard("rejected", 1, A, 3);
        NodePicture picture = EMPTY.withPod(dead)
                .withPod(rejected)
                .withRefused(rejected.ref().uid())
                .withListed(Pods.listed("dead", "rejected"), Pods.START);

        assertThat(now(picture).find(Resource.MEMORY, 3, Set.of())).isInstanceOf(Asker.Nobody.class);
    }

    @Test
    void theAmountMustBeTheOneThatWasAskedFor() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("p", 0, A, 3)).withListed(Pods.listed("p"), Pods.START);

        assertThat(now(picture).find(Resource.MEMORY, 4, Set.of()))
                .isEqualTo(new Asker.Nobody(
                        WhyNot.NOBODY_WAITS,
                        "no pod that the API server has on this node waits for 4 units of GPU memory"));
        assertThat(now(picture).find(Resource.CARDS, 3, Set.of())).isInstanceOf(Asker.Nobody.class);
    }

    @Test
    void whereSeveralLackTheSameTheDevicesDecideAndElseNobodyGuesses() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("p", 0, A, 3))
                .withPod(Pods.onCard("q", 1, B, 3))
                .withListed(Pods.listed("p", "q"), Pods.START);

        assertFound(now(picture).find(Resource.MEMORY, 3, Set.of(B)), "q", "main", Asker.Way.LACKS_DEVICES);
        assertThat(now(picture).find(Resource.MEMORY, 3, Set.of())).isInstanceOf(Asker.Several.class);
    }

    @Test
    void whereSeveralWerePromisedTheSameCardTheOldestIsTaken() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("q", 1, A, 3))
                .withPod(Pods.onCard("p", 0, A, 3))
                .withListed(Pods.listed("p", "q"), Pods.START);

        assertFound(now(picture).find(Resource.MEMORY, 3, Set.of()), "p", "main", Asker.Way.LACKS_DEVICES);
    }

    @Test
    void aContainerThatWasAnsweredAndHasNothingAsksAgain() {
        NodePod pod = Pods.onCard("p", 0, A, 3);
        NodePicture picture = EMPTY.withPod(pod)
                .withAnswer(new Answered(pod.ref(), Pods.gets("main", A, 3), Set.of("GPU-a::0"), Pods.START))
                .withListed(Pods.listed("p"), Pods.START);

        assertFound(now(picture).find(Resource.MEMORY, 3, Set.of()), "p", "main", Asker.Way.ASKS_AGAIN);
    }

    @Test
    void withoutPodResourcesTheOldestPodOfThatDemandThatHasNothingAsksWhereTheCardIsTheSame() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("running", 0, A, 3))
                .withListed(Pods.holding("running", "main", "GPU-a::0", "GPU-a::1", "GPU-a::2"), Pods.START)
                .withPod(Pods.onCard("young", 5, A, 3))
                .withPod(Pods.onCard("old", 4, A, 3));

        Asker asker = new WhoAsks(picture, false, true).find(Resource.MEMORY, 3, Set.of());

        assertFound(asker, "old", "main", Asker.Way.DEMAND_ONLY);
    }

    @Test
    void withoutPodResourcesNobodyGuessesBetweenPodsOnDifferentCards() {
        NodePicture picture = EMPTY.withPod(Pods.onCard("young", 5, B, 3)).withPod(Pods.onCard("old", 4, A, 3));

        assertThat(new WhoAsks(picture, false, true).find(Resource.MEMORY, 3, Set.of(A)))
                .isEqualTo(new Asker.Several(List.of(Pods.ref("old"), Pods.ref("young"))));
    }

    @Test
    void aPodThatAsksForBothIsNamedAsTheReason() {
        NodePod both = new NodePod(
                Pods.ref("both"),
                Pods.START,
                false,
                new Decoded.Malformed<>("container 'main' asks for both"),
                new Decoded.Absent<>());
        NodePicture picture = EMPTY.withPod(both).withListed(Pods.listed("both"), Pods.START);

        assertThat(now(picture).find(Resource.MEMORY, 1, Set.of()))
                .isEqualTo(new Asker.Nobody(WhyNot.MALFORMED, "pod default/both: container 'main' asks for both"));
    }

    private static WhoAsks now(NodePicture picture) {
        return new WhoAsks(picture, true, true);
    }

    private static void assertFound(Asker asker, String pod, String container, Asker.Way way) {
        assertThat(asker).isInstanceOfSatisfying(Asker.Found.class, found -> {
            assertThat(Map.entry(found.pod().ref().name(), found.container().name()))
                    .isEqualTo(Map.entry(pod, container));
            assertThat(found.way()).isEqualTo(way);
        });
    }
}
