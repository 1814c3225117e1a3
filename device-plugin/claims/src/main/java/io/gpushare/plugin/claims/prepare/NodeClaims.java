package io.gpushare.plugin.claims.prepare;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.PreparedClaims;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.node.container.ContainerEdits;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.holdings.HoldingsSource;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.holdings.OfferHoldings;
import io.gpushare.plugin.node.pod.NodePod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The prepared claims of this node. Everything is derived from the claim in the API and from the files: a repeated call
 * gives the same answer, also by another process. Calls for one claim follow each other, and what has side effects
 * happens under one lock.
 */
public final class NodeClaims implements HoldingsSource {
    private static final Logger LOG = LoggerFactory.getLogger(NodeClaims.class);

    /** Of the pods that share a claim, so many are read: the kubelet prepares it once, for the first ones. */
    private static final int MOST_PODS = 8;

    private final ClaimDecoder decoder;
    private final ClaimReader reader;
    private final CdiFiles files;
    private final ClaimRequests requests;
    private final Supplier<Inventory> present;
    private final NewClaims newClaims;
    private final UnaryOperator<Set<String>> running;
    private final Runnable held;
    private final Runnable changed;
    private final Consumer<String> miscounted;
    private final AtomicLong refused = new AtomicLong();
    private final ClaimLocks locks = new ClaimLocks();
    private final Set<String> preparedHere = ConcurrentHashMap.newKeySet();
    private volatile ClaimHoldings now;
    private volatile OfferHoldings holdings;

    /** Whether a claim that is not prepared yet may have cards of this node. It may wait a few seconds. */
    @FunctionalInterface
    public interface NewClaims {
        /** Why it can't have these cards, as a sentence; empty if it can. */
        Optional<String> refusal(ResourceClaim claim, Inventory inventory, Set<CardId> cards);
    }

    /**
     * Nothing is prepared before {@link #recover}.
     *
     * @param present the cards of the node
     * @param running those of these containers, by their IDs, of which a process runs
     * @param held is run after what claims have, or who uses it, has changed; it does no I/O
     * @param changed is run after a claim was prepared or unprepared
     * @param miscounted receives a sentence when kube-scheduler's sum for a card of this node must be wrong
     */
    public NodeClaims(
            ClaimDecoder decoder,
            ClaimReader reader,
            CdiFiles files,
            ClaimRequests requests,
            Supplier<Inventory> present,
            NewClaims newClaims,
            UnaryOperator<Set<String>> running,
            Runnable held,
            Runnable changed,
            Consumer<String> miscounted) {
        this.decoder = decoder;
        this.reader = reader;
        this.files = files;
        this.requests = requests;
        this.present = present;
        this.held = held;
        this.newClaims = newClaims;
        this.running = running;
        this.changed = changed;
        this.miscounted = miscounted;
        this.now = ClaimHoldings.none(PreparedClaims.of(present.get()));
        this.holdings = now.holdings();
    }

    /** They are among the holdings before the lock is released: who counts the node's cards, counts these. */
    private synchronized void hold(UnaryOperator<ClaimHoldings> step) {
        now = step.apply(now);
        holdings = now.holdings();
        held.run();
    }

    private void hold(PreparedClaims prepared) {
        hold(all -> all.withPrepared(prepared));
    }

    @Override
    public Offer offer() {
        return Offer.CLAIMS;
    }

    @Override
    public OfferHoldings on(Inventory inventory) {
        return holdings;
    }

    /** Whether the claims that earlier processes prepared are known. */
    public boolean recovered() {
        return now.recovered();
    }

    /** The API reported this pod. Most of its changes are none of who uses what: users may make them all the time. */
    public synchronized void pod(NodePod pod) {
        if (now.usesAsBefore(pod)) {
            now = now.withPod(pod);
        } else {
            hold(all -> all.withPod(pod));
        }
    }

    /** The API deleted the pod. */
    public void podDeleted(String uid) {
        hold(all -> all.withoutPod(uid));
    }

    /**
     * Lists the files of claims, where claims are not the active offer.
     *
     * @param problem why claims may have any card, whatever the files say; empty if there is no such reason
     */
    public synchronized void look(Optional<String> problem) {
        CdiFiles.Records listed = CdiFiles.Records.NONE;
        Optional<String> unknown = problem;
        try {
            listed = files.read();
        } catch (IOException e) {
            unknown = Optional.of("which cards claims have is unknown, because " + files.directory()
                    + " can't be listed: " + e + "; let root own it, or others read it");
        }
        if (!listed.equals(now.files()) || !unknown.equals(now.problem())) {
            CdiFiles.Records records = listed;
            Optional<String> why = unknown;
            hold(all -> all.withFiles(records, why));
        }
    }

    /** Takes over what earlier processes prepared, as their files have it; returns these claims. */
    public synchronized List<ResourceClaim> recover() throws IOException {
        files.deleteUnfinished();
        List<ResourceClaim> recovered = new ArrayList<>();
        PreparedClaims all = now.prepared();
        CdiFiles.Records records = files.read();
        records.unread().forEach(file -> LOG.warn("{} records no claim: it is left as it is", file));
        for (CdiDocument.Recorded recorded : records.claims()) {
            ResourceClaim claim = recorded.claim();
            all = all.with(claim, recorded.allocation());
            recovered.add(claim);
            LOG.info("claim {} has {}", claim, recorded.allocation().cards());
        }
        hold(all);
        return recovered;
    }

    /**
     * Ends that claim if it is gone: the kubelet may have forgotten it while no driver ran. It keeps its cards while a
     * pod runs with it, because whoever owns a claim can remove its finalizer and delete it.
     *
     * @return why it may be gone later, as a sentence; empty if that is decided
     */
    public Optional<String> removeIfGone(ResourceClaim claim) {
        try (ClaimLocks.Held _ = locks.lock(claim.uid())) {
            Optional<ResourceClaim> named = reader.claim(claim.namespace(), claim.name());
            boolean present = named.filter(each -> each.uid().equals(claim.uid()))
                    .filter(each -> each.results().stream().anyMatch(decoder::concerns))
                    .isPresent();
            if (present || !now.prepared().holds(claim.uid())) {
                return Optional.empty();
            }
            Optional<PodRef> runs = now.running(claim, named.isEmpty());
            if (runs.isPresent()) {
                return Optional.of(
                        "claim " + claim + " is gone, and keeps its cards until pod " + runs.get() + " ends");
            }
            LOG.info("claim {} ({}) is gone", claim, claim.uid());
            return end(claim.uid());
        } catch (KubernetesException e) {
            // Its containers may run.
            return Optional.of(
                    "claim " + claim + " can't be read, and counts as present until it can: " + e.getMessage());
        }
    }

    /** What the claims hold of the cards of that inventory. */
    public NodeCards cards(Inventory inventory) {
        return now.prepared().on(inventory);
    }

    /** The number of refused calls; the kubelet repeats each. */
    public long refused() {
        return refused.get();
    }

    /**
     * Prepares the claim with that uid, namespace and name.
     *
     * @param ended whether the caller does not wait any more: it may unprepare the claim next
     */
    public Prepared prepare(PodRef claim, BooleanSupplier ended) {
        Prepared result;
        try (ClaimLocks.Held _ = locks.lock(claim.uid())) {
            result = ended.getAsBoolean() ? new Prepared.Refused(callEnded(claim)) : readAndPrepare(claim, ended);
        } catch (KubernetesException e) {
            result = new Prepared.Refused(
                    "claim " + claim + " can't be read, the kubelet tries again: " + e.getMessage());
        } catch (IOException e) {
            result = new Prepared.Refused("claim " + claim + ": its file can't be written: " + e);
        }
        if (result instanceof Prepared.Refused(String reason)) {
            refused.incrementAndGet();
            LOG.warn("refused: {}", reason);
        }
        return result;
    }

    private static String callEnded(Object claim) {
        return "claim " + claim + ": the kubelet ended its call, and tries again";
    }

    private Prepared readAndPrepare(PodRef ref, BooleanSupplier ended) throws KubernetesException, IOException {
        Inventory now = present.get();
        if (now.cards().isEmpty()) {
            return new Prepared.Refused("claim " + ref + " waits: this node has "
                    + (now.noCards() == null ? "no cards" : now.noCards().sentences()));
        }
        Optional<ResourceClaim> claim = reader.claim(ref.namespace(), ref.name());
        if (claim.filter(each -> each.uid().equals(ref.uid())).isEmpty()) {
            return new Prepared.Refused(
                    "claim " + ref + " with uid " + ref.uid() + " does not exist any more: recreate the pod");
        }
        decoder.miscounted(claim.get()).ifPresent(miscounted);
        return switch (decoder.decode(claim.get(), now)) {
            case Decoded.Absent<Allocation> _ -> watch(claim.get(), now, ended);
            case Decoded.Malformed<Allocation>(String reason) -> new Prepared.Refused(reason);
            case Decoded.Valid<Allocation>(Allocation allocation) -> prepare(claim.get(), allocation, now, ended);
        };
    }

    /** A claim that has nothing of this node's cards, but may see them. */
    private Prepared watch(ResourceClaim claim, Inventory now, BooleanSupplier ended)
            throws KubernetesException, IOException {
        return switch (decoder.watched(claim, now)) {
            case Decoded.Absent<Set<CardId>> _ ->
                new Prepared.Refused("claim " + claim + " has no card of driver " + decoder.driver());
            case Decoded.Malformed<Set<CardId>>(String reason) -> new Prepared.Refused(reason);
            case Decoded.Valid<Set<CardId>>(Set<CardId> cards) -> watch(claim, cards, now, ended);
        };
    }

    private Prepared watch(ResourceClaim claim, Set<CardId> cards, Inventory now, BooleanSupplier ended)
            throws KubernetesException, IOException {
        boolean repeated = files.watches(claim.uid());
        Optional<String> other = repeated ? Optional.empty() : newClaims.refusal(claim, now, Set.of());
        if (other.isPresent()) {
            return new Prepared.Refused("claim " + claim + ": " + other.get());
        }
        return switch (requests.watching(claim, cards, now)) {
            case Outcome.Of<Map<String, ContainerEdits>>(var edits) -> {
                Optional<String> several = repeated ? Optional.empty() : several(claim, now, uses(claim), edits);
                if (several.isPresent() || ended.getAsBoolean()) {
                    yield new Prepared.Refused(several.orElseGet(() -> callEnded(claim)));
                }
                files.writeWatching(claim.uid(), CdiDocument.watching(files.watchingFile(claim.uid()), claim, edits));
                LOG.info("claim {} of {} sees {}", claim, claim.pods(), cards);
                yield new Prepared.Ready(devices(claim, edits));
            }
            case Outcome.Refused<Map<String, ContainerEdits>>(var _, String reason, var _) ->
                new Prepared.Refused("claim " + claim + ": " + reason);
        };
    }

    /** What the containers of its first pods use. */
    private Map<PodRef, List<ClaimUse>> uses(ResourceClaim claim) throws KubernetesException {
        Map<PodRef, List<ClaimUse>> uses = new LinkedHashMap<>();
        for (PodRef pod : claim.pods()) {
            if (uses.size() < MOST_PODS) {
                uses.put(pod, reader.uses(pod));
            }
        }
        return uses;
    }

    private Optional<String> several(
            ResourceClaim claim, Inventory now, Map<PodRef, List<ClaimUse>> uses, Map<String, ContainerEdits> edits)
            throws KubernetesException {
        return new SeveralRequests(reader, decoder, requests, now).problem(claim, edits, uses);
    }

    private Prepared prepare(ResourceClaim claim, Allocation allocation, Inventory now, BooleanSupplier ended)
            throws KubernetesException, IOException {
        boolean repeated = has(claim, allocation);
        Optional<String> other = repeated ? Optional.empty() : newClaims.refusal(claim, now, allocation.cards());
        if (other.isPresent()) {
            return new Prepared.Refused("claim " + claim + ": " + other.get());
        }
        Map<PodRef, List<ClaimUse>> uses = uses(claim);
        Optional<String> many = repeated ? Optional.empty() : PreparedClaims.tooMany(claim, allocation, uses);
        if (many.isPresent()) {
            return new Prepared.Refused(many.get());
        }
        return switch (requests.edits(claim, allocation, now, uses)) {
            case Outcome.Of<Map<String, ContainerEdits>>(var edits) -> {
                Optional<String> several = repeated ? Optional.empty() : several(claim, now, uses, edits);
                Optional<String> problem =
                        several.isPresent() ? several : take(claim, allocation, now, uses, edits, ended);
                yield problem.or(() -> requests.enforce(claim, allocation))
                        .<Prepared>map(Prepared.Refused::new)
                        .orElseGet(() -> new Prepared.Ready(devices(claim, edits)));
            }
            case Outcome.Refused<Map<String, ContainerEdits>>(var _, String reason, var _) ->
                new Prepared.Refused("claim " + claim + ": " + reason);
        };
    }

    /**
     * Takes the cards for the claim and writes its file, each time as its containers should be now; or says why not.
     */
    private Optional<String> take(
            ResourceClaim claim,
            Allocation allocation,
            Inventory now,
            Map<PodRef, List<ClaimUse>> uses,
            Map<String, ContainerEdits> edits,
            BooleanSupplier ended)
            throws IOException {
        synchronized (this) {
            PreparedClaims before = this.now.prepared().withInventory(now);
            Optional<String> overlap = before.refusal(claim, allocation);
            if (overlap.isPresent()) {
                miscounted.accept(overlap.get());
                return overlap;
            }
            if (ended.getAsBoolean()) {
                return Optional.of(callEnded(claim));
            }
            files.write(claim.uid(), CdiDocument.of(files.file(claim.uid()), claim, allocation, edits));
            if (!before.has(claim.uid(), allocation)) {
                preparedHere.add(claim.uid());
            }
            hold(before.with(claim, allocation, uses));
        }
        LOG.info("claim {} of {}: {}", claim, claim.pods(), allocation.cards());
        changed.run();
        return Optional.empty();
    }

    /** Whether this process prepared the claim with that UID, and was the first one to. */
    boolean preparedHere(String uid) {
        return preparedHere.contains(uid);
    }

    /** Whether it was prepared already with these cards: its containers may run with what it has. */
    private synchronized boolean has(ResourceClaim claim, Allocation allocation) {
        return now.prepared().has(claim.uid(), allocation) && files.has(claim.uid());
    }

    /** Each of the cards; a container gets the variables of its request with the first one. */
    private List<Prepared.Device> devices(ResourceClaim claim, Map<String, ContainerEdits> edits) {
        List<Prepared.Device> devices = new ArrayList<>();
        Set<String> named = new HashSet<>();
        for (ResourceClaim.Result result : claim.results()) {
            @Nullable ContainerEdits own = edits.get(result.request());
            if (result.driver().equals(decoder.driver()) && own != null) {
                List<String> cdi = new ArrayList<>();
                if (named.add(result.request())) {
                    cdi.addAll(own.cdiDevices());
                    cdi.add(CdiDocument.name(claim, result.request()));
                }
                devices.add(new Prepared.Device(
                        ResourceClaim.base(result.request()), result.pool(), result.device(), result.shareId(), cdi));
            }
        }
        return devices;
    }

    /**
     * Ends what {@link #prepare} began, also for a claim that is not known; returns why it can't, as a sentence.
     *
     * <p>A claim with which a container runs keeps its cards until that ends: the kubelet unprepares it when another
     * pod is deleted that could not begin to use it, and forgets it.
     *
     * @see <a href="https://github.com/kubernetes/kubernetes/pull/140212">the kubelet's mend</a>
     */
    public Optional<String> unprepare(String uid) {
        try (ClaimLocks.Held _ = locks.lock(uid)) {
            if (!used(uid)) {
                return end(uid);
            }
            LOG.warn("claim {} was unprepared, and keeps its cards until the containers end that run with it", uid);
            files.leave(uid);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("the file of claim " + uid + " can't be written: " + e);
        }
    }

    /** Whether a container runs with that claim. */
    private boolean used(String uid) {
        Set<String> containers = now.containers(uid);
        return !containers.isEmpty() && !running.apply(containers).isEmpty();
    }

    /** Ends the claims that were unprepared under containers which have ended since. The node's pods must be known. */
    public void endUnprepared() {
        try {
            for (String uid : files.left()) {
                try (ClaimLocks.Held _ = locks.lock(uid)) {
                    if (files.left().contains(uid) && !used(uid)) {
                        end(uid).ifPresent(LOG::warn);
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("claims that were unprepared end later", e);
        }
    }

    private Optional<String> end(String uid) {
        synchronized (this) {
            try {
                files.delete(uid);
            } catch (IOException e) {
                return Optional.of("the file of claim " + uid + " can't be removed: " + e);
            }
            preparedHere.remove(uid);
            hold(now.prepared().without(uid));
        }
        LOG.info("claim {} has ended", uid);
        changed.run();
        return Optional.empty();
    }
}
