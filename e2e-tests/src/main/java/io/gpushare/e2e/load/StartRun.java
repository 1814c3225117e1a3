package io.gpushare.e2e.load;

import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.ScriptedKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * Compares image files: the start of both programs, and the first binds of the extender. The folders take turns, so
 * that other load affects all of them.
 */
final class StartRun {
    private static final String NODE = "started";
    private static final int BINDS = 1000;
    private static final int TIMES = 4;

    private final Path repository;
    private final Path folder;
    private final int nodes;

    /** @param folder an empty folder with a short name that every user can read, for sockets and logs */
    StartRun(Path repository, Path folder, int nodes) {
        this.repository = repository.toAbsolutePath();
        this.folder = folder;
        this.nodes = nodes;
    }

    /** @param images folders of {@code deploy/images/build} */
    void measure(List<Path> images, int rounds) throws IOException, InterruptedException, ExecutionException {
        for (int round = 1; round <= rounds; round++) {
            for (Path image : images) {
                LoadRun.print("%nround %d, images in %s%n", round, image);
                plugin(image.toAbsolutePath());
                extender(image.toAbsolutePath());
            }
        }
    }

    private void plugin(Path images) throws IOException, InterruptedException {
        try (SimulatedApiServer api = SimulatedApiServer.start();
                ScriptedKubelet _ = new ScriptedKubelet(folder).start()) {
            api.add(ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" + NODE
                    + "\"},\"status\":{}}"));
            Files.writeString(folder.resolve("cards"), "card kind=T4 memory=15GiB\n".repeat(8));
            Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), api.kubeconfig());
            try (ServerProcess plugin = ServerProcess.pluginImage(
                    repository, images, kubeconfig, NODE, folder, folder.resolve("plugin.log"))) {
                ready("plugin", plugin);
            }
        }
    }

    private void extender(Path images) throws IOException, InterruptedException, ExecutionException {
        LoadCluster cluster = new LoadCluster(nodes);
        try (SimulatedApiServer api = SimulatedApiServer.start()) {
            cluster.fill(api);
            Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), api.kubeconfig());
            try (ServerProcess extender = ServerProcess.extenderImage(
                    repository, images, kubeconfig, folder, folder.resolve("extender.log"))) {
                ready("extender", extender);
                new BindRun(cluster, api, extender, BINDS).repeat(TIMES);
            }
        }
    }

    private static void ready(String name, ServerProcess program) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        program.await(LoadRun.READY, LoadRun.START);
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        LoadRun.print(
                "  %-9s ready after %.1f s, %.1f s of processor time, %,d MiB resident%n",
                name, took.toMillis() / 1e3, program.cpu().toMillis() / 1e3, program.residentMib());
    }
}
