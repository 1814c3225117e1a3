package io.gpushare.plugin.allocate.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.Decoded;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.AnsweredCall;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.PodResourcesList;
import io.gpushare.plugin.allocate.snapshot.TestLists;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.container.RefusalKind;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CallerResolverTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final NodeSnapshot EMPTY = NodeSnapshot.of(new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15)))));

    @Test
    void theListedPodThatLacksItsDevicesAsksNotTheOlderOneOfTheSameDemand() {
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.onCard("older", 0, A, 3))
                .withPod(TestPods.onCard("younger", 9, B, 3))
                .withListed(TestLists.listed("younger"), TestPods.START);

        assertFound(
                now(snapshot).find(DeviceResource.MEMORY, 3, Set.of()),
                "younger",
                "main",
                Caller.Evidence.LACKS_DEVICES);
    }

    @Test
    void containersAskInTheOrderInWhichTheyStart() {
        NodePod pod = TestPods.unannotated("p", 0, TestPods.memory("one", 3), TestPods.memory("two", 3));
        NodeSnapshot snapshot = EMPTY.withPod(pod);

        assertFound(
                now(snapshot.withListed(TestLists.listed("p"), TestPods.START))
                        .find(DeviceResource.MEMORY, 3, Set.of()),
                "p",
                "one",
                Caller.Evidence.LACKS_DEVICES);
        PodResourcesList oneHas = TestLists.withDevices("p", "one", "GPU-a::0", "GPU-a::1", "GPU-a::2");
        assertFound(
                now(snapshot.withListed(oneHas, TestPods.START)).find(DeviceResource.MEMORY, 3, Set.of()),
                "p",
                "two",
                Caller.Evidence.LACKS_DEVICES);
    }

    @Test
    void anInitContainerIsNeverListedSoOurAnswerTellsThatItIsPast() {
        NodePod pod = TestPods.unannotated(
                "p", 0, new ContainerDemand("load", ContainerRole.INIT, Share.memory(2)), TestPods.memory("main", 2));
        NodeSnapshot snapshot = EMPTY.withPod(pod).withListed(TestLists.listed("p"), TestPods.START);

        assertFound(now(snapshot).find(DeviceResource.MEMORY, 2, Set.of()), "p", "load", Caller.Evidence.LACKS_DEVICES);
        NodeSnapshot answered = snapshot.withAnsweredCall(new AnsweredCall(
                pod.ref(), TestPods.share("load", A, 2), Set.of("GPU-a::0", "GPU-a::1"), TestPods.START));
        assertFound(now(answered).find(DeviceResource.MEMORY, 2, Set.of()), "p", "main", Caller.Evidence.LACKS_DEVICES);
    }

    @Test
    void afterARestartOfOursAPodWhoseAppHasDevicesIsPastItsInitContainers() {
        NodePod running = TestPods.unannotated(
                "p", 0, new ContainerDemand("load", ContainerRole.INIT, Share.memory(2)), TestPods.memory("main", 2));
        NodeSnapshot snapshot = EMPTY.withPod(running)
                .withListed(TestLists.withDevices("p", "main", "GPU-a::0", "GPU-a::1"), TestPods.START);

        assertThat(now(snapshot).find(DeviceResource.MEMORY, 2, Set.of())).isInstanceOf(Outcome.Refused.class);
    }

    /** The kubelet calls for the resources of a container one after the other, in any order. */
    @Test
    void aContainerWithMemoryAndCoresIsTheCallerForEachOfThem() {
        NodePod pod = TestPods.unannotated("p", 0, TestPods.cores("one", 2, 30), TestPods.cores("two", 2, 30));
        NodeSnapshot snapshot = EMPTY.withPod(pod).withListed(TestLists.listed("p"), TestPods.START);

        assertFound(now(snapshot).find(DeviceResource.MEMORY, 2, Set.of()), "p", "one", Caller.Evidence.LACKS_DEVICES);
        assertFound(now(snapshot).find(DeviceResource.CORES, 30, Set.of()), "p", "one", Caller.Evidence.LACKS_DEVICES);
        NodeSnapshot oneHasCores = snapshot.withListed(
                TestLists.withDevices("p", "one", "GPU-a::c0", "GPU-a::c1"), TestPods.START.plusSeconds(1));
        assertFound(
                now(oneHasCores).find(DeviceResource.MEMORY, 2, Set.of()), "p", "one", Caller.Evidence.LACKS_DEVICES);
        assertThat(now(oneHasCores).find(DeviceResource.CORES, 30, Set.of())).isInstanceOf(Outcome.Refused.class);
        NodeSnapshot oneHasBoth = snapshot.withListed(
                TestLists.withDevices("p", "one", "GPU-a::c0", "GPU-a::c1", "GPU-a::0", "GPU-a::1"),
                TestPods.START.plusSeconds(1));
        assertFound(
                now(oneHasBoth).find(DeviceResource.CORES, 30, Set.of()), "p", "two", Caller.Evidence.LACKS_DEVICES);
    }

    @Test
    void anInitContainerWithMemoryAndCoresIsPastWhenBothCallsWereAnswered() {
        NodePod pod = TestPods.unannotated(
                "p",
                0,
                new ContainerDemand("load", ContainerRole.INIT, Share.memory(2).plus(Share.cores(30))),
                TestPods.memory("main", 2));
        NodeSnapshot snapshot = EMPTY.withPod(pod).withListed(TestLists.listed("p"), TestPods.START);

        NodeSnapshot memory = snapshot.withAnsweredCall(new AnsweredCall(
                pod.ref(), TestPods.share("load", A, 2), Set.of("GPU-a::0", "GPU-a::1"), TestPods.START));
        assertThat(now(memory).find(DeviceResource.MEMORY, 2, Set.of())).isInstanceOf(Outcome.Refused.class);
        assertFound(now(memory).find(DeviceResource.CORES, 30, Set.of()), "p", "load", Caller.Evidence.LACKS_DEVICES);
        NodeSnapshot both = memory.withAnsweredCall(
                new AnsweredCall(pod.ref(), TestPods.share("load", A, 2), Set.of("GPU-a::c0"), TestPods.START));
        assertFound(now(both).find(DeviceResource.MEMORY, 2, Set.of()), "p", "main", Caller.Evidence.LACKS_DEVICES);
    }

    @Test
    void ofTwoThatSeemToWaitTheOneThatCameFirstWasRejectedByTheKubelet() {
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.onCard("rejected", 9, A, 3))
                .withPod(TestPods.onCard("here", 0, B, 3))
                .withListed(TestLists.listed("rejected"), TestPods.START)
                .withListed(TestLists.listed("rejected", "here"), TestPods.START.plusSeconds(1));

        assertFound(
                now(snapshot).find(DeviceResource.MEMORY, 3, Set.of()), "here", "main", Caller.Evidence.LACKS_DEVICES);
        // Whatever devices the kubelet took by itself.
        assertFound(
                now(snapshot).find(DeviceResource.MEMORY, 3, Set.of(A)), "here", "main", Caller.Evidence.LACKS_DEVICES);
    }

    /**
     * Its containers have ended, so the kubelet lists it without devices, and the API server is slow to tell of the
     * next.
     */
    @Test
    void onePodIsNotTakenForAnotherOfWhichTheApiHasNotTold() {
        NodePod ending = TestPods.onCard("ending", 0, A, 3);
        NodeSnapshot snapshot = EMPTY.withPod(ending)
                .withListed(TestLists.listed("ending"), TestPods.START)
                .withAnsweredCall(new AnsweredCall(
                        ending.ref(), TestPods.share("main", A, 3), Set.of("GPU-a::0"), TestPods.START))
                .withListed(TestLists.listed("ending", "stranger"), TestPods.START.plusSeconds(1));

        assertThat(new CallerResolver(snapshot, true, false).find(DeviceResource.MEMORY, 3, Set.of()))
                .isInstanceOf(Outcome.Refused.class);
        assertThat(new CallerResolver(snapshot, true, true).find(DeviceResource.MEMORY, 3, Set.of()))
                .isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void aPodThatWasListedTogetherWithADeletedOneIsTheCaller() {
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.onCard("here", 0, A, 3))
                .withListed(TestLists.listed("here", "deleted-meanwhile"), TestPods.START);

        assertFound(
                new CallerResolver(snapshot, true, true).find(DeviceResource.MEMORY, 3, Set.of()),
                "here",
                "main",
                Caller.Evidence.LACKS_DEVICES);
        assertThat(new CallerResolver(snapshot, true, false).find(DeviceResource.MEMORY, 3, Set.of()))
                .isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void aPodWhoseNameWasListedBeforeMayBeTheLatest() {
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.onCard("reused", 0, A, 3))
                .withListed(TestLists.listed("reused"), TestPods.START)
                .withoutPod(TestPods.onCard("reused", 0, A, 3).ref().uid())
                .withPod(recreated(TestPods.onCard("reused", 5, A, 3)))
                .withPod(TestPods.onCard("other", 9, B, 3))
                .withListed(TestLists.listed("reused", "other"), TestPods.START.plusSeconds(1));

        assertThat(now(snapshot).find(DeviceResource.MEMORY, 3, Set.of()))
                .isInstanceOfSatisfying(Outcome.Refused.class, CallerResolverTest::assertAmbiguous);
    }

    private static NodePod recreated(NodePod pod) {
        PodRef ref = pod.ref();
        return TestPods.pod(
                new PodRef("another-uid", ref.namespace(), ref.name()),
                pod.created(),
                pod.ended(),
                pod.demand(),
                pod.allocation());
    }

    @Test
    void aPodThatEndedOrWasRefusedIsNotTheCaller() {
        NodePod dead = TestPods.ended(TestPods.onCard("dead", 0, A, 3));
        NodePod rejected = TestPods.onCard("rejected", 1, A, 3);
        NodeSnapshot snapshot = EMPTY.withPod(dead)
                .withPod(rejected)
                .withRefused(rejected.ref().uid())
                .withListed(TestLists.listed("dead", "rejected"), TestPods.START);

        assertThat(now(snapshot).find(DeviceResource.MEMORY, 3, Set.of())).isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void theAmountMustMatchTheRequest() {
        NodeSnapshot snapshot =
                EMPTY.withPod(TestPods.onCard("p", 0, A, 3)).withListed(TestLists.listed("p"), TestPods.START);

        assertThat(now(snapshot).find(DeviceResource.MEMORY, 4, Set.of()))
                .isEqualTo(new Outcome.Refused<>(
                        RefusalKind.NO_POD_WAITS,
                        "no pod that the API server has on this node waits for 4 units of GPU memory"));
        assertThat(now(snapshot).find(DeviceResource.CARDS, 3, Set.of())).isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void podsThatGpusharesExtenderBoundToDifferentCardsAreDistinguished() {
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.gpushare("p", 3, Map.of("IDX", "0", "DEV", "15")))
                .withPod(TestPods.gpushare("q", 3, Map.of("IDX", "1", "DEV", "15")))
                .withListed(TestLists.listed("p", "q"), TestPods.START);

        assertFound(
                now(snapshot).find(DeviceResource.MEMORY, 3, Set.of(B)), "q", "main", Caller.Evidence.LACKS_DEVICES);
        assertThat(now(snapshot).find(DeviceResource.MEMORY, 3, Set.of()))
                .isInstanceOfSatisfying(Outcome.Refused.class, CallerResolverTest::assertAmbiguous);
    }

    @Test
    void ifSeveralLackTheSameAmountTheDevicesDecideAndOtherwiseTheCallIsAmbiguous() {
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.onCard("p", 0, A, 3))
                .withPod(TestPods.onCard("q", 1, B, 3))
                .withListed(TestLists.listed("p", "q"), TestPods.START);

        assertFound(
                now(snapshot).find(DeviceResource.MEMORY, 3, Set.of(B)), "q", "main", Caller.Evidence.LACKS_DEVICES);
        assertThat(now(snapshot).find(DeviceResource.MEMORY, 3, Set.of()))
                .isInstanceOfSatisfying(Outcome.Refused.class, CallerResolverTest::assertAmbiguous);
    }

    @Test
    void ifSeveralHaveTheSameAnnotatedCardTheOldestIsTheCaller() {
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.onCard("q", 1, A, 3))
                .withPod(TestPods.onCard("p", 0, A, 3))
                .withListed(TestLists.listed("p", "q"), TestPods.START);

        assertFound(now(snapshot).find(DeviceResource.MEMORY, 3, Set.of()), "p", "main", Caller.Evidence.LACKS_DEVICES);
    }

    @Test
    void anAnsweredContainerWithoutDevicesIsARepeatedCallIfTheApiServerConfirmsThePod() {
        NodePod pod = TestPods.onCard("p", 0, A, 3);
        NodeSnapshot snapshot = EMPTY.withPod(pod)
                .withAnsweredCall(
                        new AnsweredCall(pod.ref(), TestPods.share("main", A, 3), Set.of("GPU-a::0"), TestPods.START))
                .withListed(TestLists.listed("p"), TestPods.START);

        assertFound(
                new CallerResolver(snapshot, true, true).find(DeviceResource.MEMORY, 3, Set.of()),
                "p",
                "main",
                Caller.Evidence.REPEATED_CALL);
        // Another pod may have taken its name meanwhile.
        assertThat(new CallerResolver(snapshot, true, false).find(DeviceResource.MEMORY, 3, Set.of()))
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        none -> assertThat(none.reason()).contains("or for a new pod of that name"));
    }

    @Test
    void withoutPodResourcesTheOldestMatchingPodIsTheCallerIfAllHaveTheSameCard() {
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.onCard("running", 0, A, 3))
                .withListed(
                        TestLists.withDevices("running", "main", "GPU-a::0", "GPU-a::1", "GPU-a::2"), TestPods.START)
                .withPod(TestPods.onCard("young", 5, A, 3))
                .withPod(TestPods.onCard("old", 4, A, 3));

        Outcome<Caller> caller = new CallerResolver(snapshot, false, true).find(DeviceResource.MEMORY, 3, Set.of());

        assertFound(caller, "old", "main", Caller.Evidence.DEMAND_ONLY);
    }

    @Test
    void withoutPodResourcesPodsOnDifferentCardsAreAmbiguous() {
        NodeSnapshot snapshot =
                EMPTY.withPod(TestPods.onCard("young", 5, B, 3)).withPod(TestPods.onCard("old", 4, A, 3));

        assertThat(new CallerResolver(snapshot, false, true).find(DeviceResource.MEMORY, 3, Set.of(A)))
                .isInstanceOfSatisfying(Outcome.Refused.class, refused -> {
                    assertAmbiguous(refused);
                    assertThat(refused.reason())
                            .startsWith("the pods " + List.of(TestPods.ref("old"), TestPods.ref("young")) + " wait");
                });
    }

    @Test
    void aMalformedPodIsNamedInTheReason() {
        NodePod both = TestPods.pod(
                TestPods.ref("both"),
                TestPods.START,
                false,
                new Decoded.Malformed<>("container 'main' requests both"),
                new Decoded.Absent<>());
        NodeSnapshot snapshot = EMPTY.withPod(both).withListed(TestLists.listed("both"), TestPods.START);

        assertThat(now(snapshot).find(DeviceResource.MEMORY, 1, Set.of()))
                .isEqualTo(new Outcome.Refused<>(
                        RefusalKind.MALFORMED, "pod default/both: container 'main' requests both"));
    }

    private static CallerResolver now(NodeSnapshot snapshot) {
        return new CallerResolver(snapshot, true, true);
    }

    private static void assertAmbiguous(Outcome.Refused<?> refused) {
        assertThat(refused.kind()).isEqualTo(RefusalKind.AMBIGUOUS_CALLER);
    }

    private static void assertFound(Outcome<Caller> outcome, String pod, String container, Caller.Evidence evidence) {
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Of.class, of -> {
            Caller found = (Caller) of.value();
            assertThat(Map.entry(found.pod().ref().name(), found.container().name()))
                    .isEqualTo(Map.entry(pod, container));
            assertThat(found.evidence()).isEqualTo(evidence);
        });
    }
}
