package io.gpushare.e2e.sandbox;

import java.util.List;

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

    /** Four nodes whose cards differ between nodes and, on two of them, within the node. */
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
                    List.of("kind=H100-80 memory=80GiB", "kind=H100-80 memory=80GiB", "kind=H200-141 memory=141GiB")));

    /** The node whose plugin is recorded for the AOT cache of its image. */
    static final SandboxNode RECORDED = ALL.get(2);

    SandboxNode(String name, List<String> cards) {
        this(name, cards, false);
    }

    String cardsFile() {
        StringBuilder file = new StringBuilder("driver version=580.95.05 cuda=13.0 node=" + name + "\n");
        cards.forEach(card -> file.append("card ").append(card).append('\n'));
        return file.toString();
    }
}
