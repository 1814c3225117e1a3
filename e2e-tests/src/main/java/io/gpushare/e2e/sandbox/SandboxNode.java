package io.gpushare.e2e.sandbox;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A node of the sandbox.
 *
 * @param cards lines of the simulated driver's file, without the word "card"
 * @param isolated whether MPS holds its containers to their memory
 */
record SandboxNode(String name, List<String> cards, boolean isolated) {
    /** A node with MPS. */
    static final SandboxNode ISOLATED =
            new SandboxNode("node-a", List.of("kind=T4 memory=15GiB", "kind=T4 memory=15GiB"), true);

    /** Four nodes whose cards differ between nodes and, on two of them, within the node. One card has MIG instances. */
    static final List<SandboxNode> ALL = List.of(
            ISOLATED,
            new SandboxNode("node-b", List.of("kind=A10 memory=24GiB", "kind=L40S memory=48GiB")),
            new SandboxNode(
                    "node-c",
                    List.of(
                            "kind=A100-80 memory=80GiB numa=0",
                            "kind=A100-80 memory=80GiB numa=0",
                            "kind=A100-80 memory=80GiB numa=1",
                            "kind=A100-80 memory=80GiB numa=1")),
            new SandboxNode(
                    "node-d",
                    List.of(
                            "kind=H100-80 memory=80GiB",
                            "kind=H100-80 memory=80GiB",
                            "kind=H200-141 memory=141GiB",
                            "kind=H100-80 mig=3g.40gb,2g.20gb,1g.10gb,1g.10gb")));

    /** A node that serves claims. */
    static final SandboxNode CLAIMS =
            new SandboxNode("node-e", List.of("kind=L40S memory=48GiB", "kind=L40S memory=48GiB"));

    /** The node whose plugin is recorded for the AOT cache of its image. */
    static final SandboxNode RECORDED = ALL.get(2);

    SandboxNode(String name, List<String> cards) {
        this(name, cards, false);
    }

    /** The profiles of its MIG instances. */
    Stream<String> profiles() {
        return cards.stream()
                .flatMap(card -> Arrays.stream(card.split(" ")))
                .filter(word -> word.startsWith("mig="))
                .flatMap(word -> Arrays.stream(word.substring("mig=".length()).split(",")));
    }

    String cardsFile() {
        return cardsFile(Map.of());
    }

    /** @param busy the percent of the time in which programs compute on a card, by its index */
    String cardsFile(Map<Integer, Long> busy) {
        StringBuilder file = new StringBuilder("driver version=580.95.05 cuda=13.0 node=" + name + "\n");
        for (int i = 0; i < cards.size(); i++) {
            file.append("card ").append(cards.get(i));
            long percent = Math.min(100, busy.getOrDefault(i, 0L));
            if (percent > 0) {
                file.append(" utilisation=").append(percent).append('/').append(percent / 2);
            }
            file.append('\n');
        }
        return file.toString();
    }
}
