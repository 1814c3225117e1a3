package io.gpushare.plugin.allocate.kubelet;

import java.util.Optional;

/** Nothing waits for what it hears. */
class Silent implements KubeletConnection.Listener {
    @Override
    public void watched() {
        // Nothing waits for it.
    }

    @Override
    public void responded(String call, long nanos) {
        // Nothing measures it.
    }

    @Override
    public void otherServes(Optional<String> who) {
        // Nothing is published.
    }

    @Override
    public void otherBeside(String warning) {
        // No Event is recorded.
    }
}
