package io.gpushare.extender;

import io.gpushare.model.request.ResourceNames;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Starts an API server and an extender for each test. */
abstract class WithExtender {
    @TempDir
    Path folder;

    TestApiServer api;
    RunningExtender extender;

    /** Adds the objects that exist before the extender starts. */
    abstract void fill(TestApiServer cluster);

    /** The names of the resources. */
    ResourceNames names() {
        return ResourceNames.DEFAULT;
    }

    @BeforeEach
    void startExtender() throws Exception {
        api = new TestApiServer();
        fill(api);
        extender = new RunningExtender(api.kubeconfig(folder), names()).ready();
    }

    @AfterEach
    void stopExtender() throws Exception {
        extender.close();
        api.close();
    }
}
