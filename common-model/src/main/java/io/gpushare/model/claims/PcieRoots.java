package io.gpushare.model.claims;

import java.util.Optional;

/** The root complexes of PCI devices: those of one root, such as a card and a network card, reach each other fast. */
@FunctionalInterface
public interface PcieRoots {
    /** Where nobody knows them. */
    PcieRoots UNKNOWN = _ -> Optional.empty();

    /** The root of the device at that PCI address, {@code pci0000:3a}; empty if it is not known. */
    Optional<String> of(String pciAddress);
}
