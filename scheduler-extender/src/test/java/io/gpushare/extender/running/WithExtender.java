package io.gpushare.extender.running;

import io.gpushare.model.request.ResourceNames;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Starts an API server and an extender for each test. */
public abstract class WithExtender {
    @TempDir
    protected Path folder;

    protected TestApiServer api;
    protected RunningExtender extender;

    /** Adds the objects that exist before the extender starts. */
    protected abstract void fill(TestApiServer cluster);

    /** The names of the resources. */
    protected ResourceNames names() {
        return ResourceNames.DEFAULT;
    }

    @BeforeEach
    protected void startExtender() throws Exception {
        api = new TestApiServer();
        fill(api);
        extender = running().ready();
    }

    /**
     * Starts the extender again. Its first round over all nodes, which adds up their usage, is at the start; the next
     * one comes ten seconds later.
     */
    protected final void restartExtender() throws Exception {
        extender.close();
        extender = running().ready();
    }

    /** An extender of that API server. */
    protected RunningExtender running() throws IOException {
        return new RunningExtender(api.kubeconfig(folder), names());
    }

    @AfterEach
    protected void stopExtender() throws Exception {
        extender.close();
        api.close();
    }
}
