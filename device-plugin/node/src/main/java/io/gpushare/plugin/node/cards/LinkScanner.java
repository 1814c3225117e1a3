package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardLink;
import io.gpushare.model.card.CardLinks;
import io.gpushare.nvml.LinkLevel;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the links between cards. That takes some hundred calls, so it reads them only when the set of cards changes.
 */
final class LinkScanner {
    private static final Logger LOG = LoggerFactory.getLogger(LinkScanner.class);

    private Set<String> cards = Set.of();
    private CardLinks links = CardLinks.UNKNOWN;

    /** The links of these cards; links that the driver does not report are missing. */
    CardLinks of(Nvml session, Set<String> present) {
        if (!present.equals(cards)) {
            cards = Set.copyOf(present);
            links = read(session, present.stream().sorted().toList());
        }
        return links;
    }

    private static CardLinks read(Nvml session, List<String> uuids) {
        Map<CardLinks.Pair, CardLink> links = new HashMap<>();
        for (int i = 0; i < uuids.size(); i++) {
            for (int j = 0; j < i; j++) {
                String one = uuids.get(i);
                String other = uuids.get(j);
                try {
                    link(session.link(one, other))
                            .ifPresent(link -> links.put(new CardLinks.Pair(new CardId(one), new CardId(other)), link));
                } catch (NvmlException e) {
                    LOG.warn("the link between cards {} and {} is unknown: {}", one, other, e.getMessage());
                }
            }
        }
        return new CardLinks(links);
    }

    static Optional<CardLink> link(LinkLevel level) {
        return level.nvLinks() > 0
                ? Optional.of(CardLink.nvLinks(level.nvLinks()))
                : level.pcie()
                        .map(pcie -> CardLink.pcie(
                                switch (pcie) {
                                    case SAME_BOARD, ONE_SWITCH -> CardLink.Type.PIX;
                                    case SEVERAL_SWITCHES -> CardLink.Type.PXB;
                                    case HOST_BRIDGE -> CardLink.Type.PHB;
                                    case NUMA_NODE -> CardLink.Type.NODE;
                                    case SYSTEM -> CardLink.Type.SYS;
                                }));
    }
}
