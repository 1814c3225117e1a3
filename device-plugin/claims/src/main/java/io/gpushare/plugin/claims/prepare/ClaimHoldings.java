package io.gpushare.plugin.claims.prepare;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.PreparedClaims;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.holdings.OfferHoldings;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What claims have on this node at one moment, and which containers use it: pure.
 *
 * @param prepared the prepared claims
 * @param recovered whether those of earlier processes are among them
 * @param pods of the API by UID
 * @param reported of the pods that were read when their claims were prepared, those that the API reported at some time
 * @param files what the files of claims recorded when they were last listed
 * @param problem why they, or what else claims may have, are unknown; empty if they are known
 */
record ClaimHoldings(
        PreparedClaims prepared,
        boolean recovered,
        Map<String, NodePod> pods,
        Set<String> reported,
        CdiFiles.Records files,
        Optional<String> problem) {
    ClaimHoldings {
        pods = Map.copyOf(pods);
        Map<String, NodePod> known = pods;
        Set<String> before = reported;
        reported = prepared.podsRead().stream()
                .filter(uid -> known.containsKey(uid) || before.contains(uid))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Before anything was read. */
    static ClaimHoldings none(PreparedClaims prepared) {
        return new ClaimHoldings(
                prepared,
                false,
                Map.of(),
                Set.of(),
                CdiFiles.Records.NONE,
                Optional.of("no file of a claim was read yet"));
    }

    ClaimHoldings withPrepared(PreparedClaims changed) {
        return new ClaimHoldings(changed, true, pods, reported, files, problem);
    }

    ClaimHoldings withPod(NodePod pod) {
        Map<String, NodePod> changed = new HashMap<>(pods);
        changed.put(pod.ref().uid(), pod);
        return new ClaimHoldings(prepared, recovered, changed, reported, files, problem);
    }

    /** Whether that pod uses the same claims by the same containers as when it was last reported. */
    boolean usesAsBefore(NodePod pod) {
        NodePod before = pods.get(pod.ref().uid());
        return before != null
                && before.ref().equals(pod.ref())
                && before.created().equals(pod.created())
                && before.ended() == pod.ended()
                && before.started().equals(pod.started())
                && before.claims().equals(pod.claims());
    }

    ClaimHoldings withoutPod(String uid) {
        Map<String, NodePod> changed = new HashMap<>(pods);
        changed.remove(uid);
        return new ClaimHoldings(prepared, recovered, changed, reported, files, problem);
    }

    ClaimHoldings withFiles(CdiFiles.Records listed, Optional<String> unknown) {
        return new ClaimHoldings(prepared, recovered, pods, reported, listed, unknown);
    }

    /** Who has what: a claim keeps its cards from the other offer as long as it has its file. */
    OfferHoldings holdings() {
        Map<String, Set<CardId>> kept = new HashMap<>();
        files.claims()
                .forEach(each -> kept.put(each.claim().uid(), each.allocation().cards()));
        Map<PodRef, List<ClaimUse>> uses = pods.values().stream()
                .filter(pod -> !pod.ended() && !pod.claims().isEmpty())
                .sorted(NodePod.ADMISSION_ORDER)
                .collect(Collectors.toMap(NodePod::ref, NodePod::claims, (one, _) -> one, LinkedHashMap::new));
        List<Holder> holders = new ArrayList<>();
        for (NodeCards.Holding holding : prepared.holdings()) {
            Map<String, List<Holder.User>> users = new HashMap<>();
            for (ContainerAllocation part : holding.allocation().containers()) {
                users.put(part.name(), users(holding.holder(), part.name(), uses));
            }
            Set<CardId> own = kept.getOrDefault(holding.holder().uid(), Set.of());
            holders.add(new Holder(Offer.CLAIMS, holding.holder(), Optional.of(holding.allocation()), users, own));
        }
        if (!recovered) {
            files.claims()
                    .forEach(each -> holders.add(
                            onlyRecorded(each.claim(), each.allocation().cards())));
        }
        Map<String, Set<CardId>> left = new HashMap<>();
        holders.stream()
                .filter(holder -> holder.allocation().isPresent()
                        && holder.pods().stream().allMatch(this::deleted))
                .filter(holder -> !whole(holder).isEmpty())
                .forEach(holder -> left.put(holder.name() + " of a deleted pod", whole(holder)));
        Set<String> mayHaveAny = new HashSet<>();
        files.unread().forEach(file -> mayHaveAny.add("file " + file));
        problem.ifPresent(mayHaveAny::add);
        return new OfferHoldings(holders, mayHaveAny, left, recovered);
    }

    /** The IDs of the started containers that use the claim with that uid, of pods that have not ended. */
    Set<String> containers(String uid) {
        Set<String> found = new HashSet<>();
        for (Holder holder : holdings().holders()) {
            if (holder.ref().uid().equals(uid)) {
                holder.users().values().stream()
                        .flatMap(List::stream)
                        .forEach(user -> Optional.ofNullable(pods.get(user.pod().uid()))
                                .filter(pod -> !pod.ended())
                                .ifPresent(pod -> pod.started().forEach((id, name) -> {
                                    if (name.equals(user.container())) {
                                        found.add(id);
                                    }
                                })));
            }
        }
        return found;
    }

    /**
     * A pod that has not ended and uses that claim: the one for which it was prepared, or another one that has started.
     *
     * @param byName whether a pod that names it uses it, because no other claim has its name
     */
    Optional<PodRef> running(ResourceClaim claim, boolean byName) {
        return pods.values().stream()
                .filter(pod -> !pod.ended())
                .filter(pod -> claim.pods().contains(pod.ref())
                        || (byName
                                && !pod.started().isEmpty()
                                && pod.ref().namespace().equals(claim.namespace())
                                && pod.claims().stream()
                                        .anyMatch(use -> use.claim().equals(claim.name()))))
                .map(NodePod::ref)
                .findFirst();
    }

    private static Holder onlyRecorded(ResourceClaim claim, Set<CardId> cards) {
        PodRef ref = new PodRef(claim.uid(), claim.namespace(), claim.name());
        return new Holder(Offer.CLAIMS, ref, Optional.empty(), Map.of(), cards);
    }

    private List<Holder.User> users(PodRef claim, String request, Map<PodRef, List<ClaimUse>> uses) {
        return prepared.users(claim, request, uses, this::gone).stream()
                .map(user -> new Holder.User(user.pod(), user.container(), user.role()))
                .toList();
    }

    /** A share closes no card: what is left of the card is counted when the next claim is prepared. */
    private static Set<CardId> whole(Holder holder) {
        return holder.allocation().stream()
                .flatMap(all -> all.containers().stream())
                .flatMap(part -> part.unlimitedCards().stream())
                .collect(Collectors.toSet());
    }

    private boolean deleted(PodRef pod) {
        return !pods.containsKey(pod.uid()) && reported.contains(pod.uid());
    }

    /** A pod that the API has not reported yet is not gone. */
    private boolean gone(PodRef pod) {
        return Optional.ofNullable(pods.get(pod.uid())).map(NodePod::ended).orElse(deleted(pod));
    }
}
