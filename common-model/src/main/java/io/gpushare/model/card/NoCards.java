package io.gpushare.model.card;

import io.gpushare.model.text.Printable;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Why the device plugin of a node runs there and offers no card. A node whose cards are unhealthy or cordoned is no
 * such node: each of its cards has its reason.
 *
 * @param detail what the driver reported, as one line; empty if it reported nothing more than the cause
 */
public record NoCards(Cause cause, String detail) {
    private static final int LONGEST_DETAIL = 512;

    /**
     * The causes. Each sentence is constant and contains no name or number of a node, because kube-scheduler groups
     * nodes by it. A further condition for offering cards is a constant here.
     */
    public enum Cause {
        LIBRARY_MISSING(
                "the library of NVIDIA's driver (NVML) can't be loaded",
                "Install NVIDIA's driver and container toolkit on the node, and run the device plugin with NVIDIA's"
                        + " container runtime (runtimeClassName)."),
        DRIVER_NOT_LOADED(
                "NVIDIA's driver is not loaded",
                "Run nvidia-smi on the node: load the kernel module (modprobe nvidia), or install the driver for this"
                        + " kernel."),
        DRIVER_VERSION_MISMATCH(
                "the library and the kernel module of NVIDIA's driver have different versions",
                "Reboot the node, or reload the kernel module: the driver was updated."),
        NO_ACCESS(
                "the device files of NVIDIA's driver can't be opened",
                "Run the device plugin with NVIDIA's container runtime, and check /dev/nvidiactl on the node."),
        DRIVER_ERROR(
                "NVIDIA's driver reports an error",
                "Run nvidia-smi on the node; the kernel log (dmesg) has the driver's messages."),
        NO_CARD_FOUND(
                "NVIDIA's driver finds no card",
                "Check lspci and the kernel log: a card may be bound to another driver, such as vfio-pci. Remove the"
                        + " label gpushare=true from a node without cards."),
        NO_DEVICE_FILE(
                "no card has a device file, which the strategy device-specs needs",
                "Run nvidia-modprobe on the node, or set another --device-list-strategy."),
        MIG_ENABLED(
                "MIG is enabled on the cards, and there is no MIG instance to offer",
                "Create instances (nvidia-smi mig -cgi <profiles> -C), or disable MIG (nvidia-smi -mig 0)."),
        OTHER_PLUGIN(
                "another device plugin serves its cards",
                "Run one of the two on the node: exclude the node in the affinity of the other's DaemonSet, or in this"
                        + " one's (label gpushare.io/plugin)."),
        PAUSED(
                "a label of the node pauses it",
                "Whoever replaces the driver or changes MIG sets the label, and removes it afterwards; then the cards"
                        + " are offered again. If it stays, remove it from the node."),
        /** The plugin announced its end, and the next one has not published yet. */
        PLUGIN_RESTARTING(
                "its device plugin is restarting",
                "Pods that are bound there get their cards; new ones wait for the next device plugin. If it does not"
                        + " start, see its DaemonSet."),
        /** Only the extender reads it: such a node offers cards, in another way. */
        SERVES_CLAIMS(
                "its cards are offered by ResourceClaims",
                "Request them by a ResourceClaim (deploy/docs/use/claims.md), or remove the node's label"
                        + " gpushare.io/serve=dra."),
        /** The node's label gpushare.io/serve was changed, and no card is free of pods from before. */
        OTHER_WAY(
                "pods still have its cards by the way in which it offered them before",
                "Each card is offered when these pods have ended; or set the node's label gpushare.io/serve back."),
        /** A newer device plugin has a cause that this version does not know. */
        UNKNOWN("its device plugin reports a reason that this version does not know", "See the log of the plugin.");

        private final String sentence;
        private final String remedy;

        Cause(String sentence, String remedy) {
            this.sentence = sentence;
            this.remedy = remedy;
        }

        /** The name in the inventory and in metrics. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The cause as a part of a sentence. */
        public String sentence() {
            return sentence;
        }

        /** The cause with that label; {@link #UNKNOWN} for another text. */
        public static Cause of(String label) {
            return Stream.of(values())
                    .filter(cause -> cause.label().equals(label))
                    .findFirst()
                    .orElse(UNKNOWN);
        }
    }

    public NoCards {
        detail = Printable.line(detail, LONGEST_DETAIL);
    }

    /** A cause of which the driver reports nothing more. */
    public NoCards(Cause cause) {
        this(cause, "");
    }

    /** The reason, what the driver reported, and what to do. */
    public String sentences() {
        String reported = Optional.of(detail)
                .filter(text -> !text.isEmpty())
                .map(text -> " (" + text + ")")
                .orElse("");
        return "no cards to offer: " + cause.sentence + reported + ". " + cause.remedy;
    }
}
