package io.gpushare.insight.running;

import io.gpushare.model.request.ResourceNames;
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
        extender = new RunningExtender(api.kubeconfig(folder), names()).ready();
    }

    @AfterEach
    protected void stopExtender() throws Exception {
        extender.close();
        api.close();
    }
}
