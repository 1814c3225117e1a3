package io.gpushare.plugin.node.offer;

import io.gpushare.plugin.node.holdings.InUse;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the rule that a card is offered by one offer at a time ({@link InUse}): looks again as long as anybody has a
 * card by the offer that is not active, and reports that.
 */
public final class OneOffer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OneOffer.class);
    private static final Duration AGAIN = Duration.ofSeconds(3);

    private final InventoryAssembler assembler;
    private final Consumer<String> warnings;
    private final PeriodicTask task = new PeriodicTask("one-offer", this::look);
    private final PeriodicTask again = PeriodicTask.onRequest("held-cards", Duration.ZERO, this::assemble);
    private volatile Supplier<Duration> records = () -> PeriodicTask.ON_REQUEST;
    private InUse last = InUse.NONE;

    /**
     * Looks at nothing before {@link #start}.
     *
     * @param warnings receives a sentence when cards are in use
     */
    public OneOffer(InventoryAssembler assembler, Consumer<String> warnings) {
        this.assembler = assembler;
        this.warnings = warnings;
    }

    /**
     * Looks a first time before it returns.
     *
     * @param reader reads what is recorded of the offer that is not active; returns the time until there may be other
     *     holders although there are none
     */
    public void start(Supplier<Duration> reader) {
        records = reader;
        look();
        task.start();
        again.start();
    }

    /** A holder may have ended, or a slice may be there again; returns at once. */
    public void changed() {
        task.runSoon();
    }

    /**
     * What those have may have changed who are known, or compute without having it; returns at once. It reads nothing:
     * what can't be read counts as all cards, and a node must not lose them because of a change that anybody can make.
     */
    public void held() {
        again.runSoon();
    }

    private Duration assemble() {
        assembled();
        return PeriodicTask.ON_REQUEST;
    }

    private Duration look() {
        Duration later = records.get();
        InUse now = assembled();
        return now.holders().isEmpty() || later.compareTo(AGAIN) < 0 ? later : AGAIN;
    }

    private synchronized InUse assembled() {
        InUse now = assembler.assembleAgain();
        if (!now.holders().equals(last.holders())) {
            report(last, now);
        }
        last = now;
        return now;
    }

    private void report(InUse before, InUse now) {
        String names = now.names().orElse("");
        if (names.isEmpty()) {
            LOG.info("nobody has cards by the other offer any more");
            return;
        }
        String sentence = "Cards of this node are not offered until the pods end that have them by the way in which it"
                + " offered them before (" + names + ").";
        LOG.info("{}", sentence);
        if (before.holders().isEmpty()) {
            warnings.accept(sentence);
        }
    }

    @Override
    public void close() {
        task.close();
        again.close();
    }
}
