package io.gpushare.e2e.sandbox.view;

import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code kubectl gpushare} with a real kubectl and the kubeconfig in a folder, which also takes kubectl's cache. */
public record KubectlGpushare(Path folder) {
    private static final Path PLUGINS = Path.of(System.getProperty("gpushare.root", ".."), "deploy/kubectl")
            .toAbsolutePath()
            .normalize();

    /** What the command prints. */
    public String print(String... arguments) throws IOException, InterruptedException {
        Path output = folder.resolve("printed");
        Patience.exitCode(start(output, arguments));
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    /** Starts the command, which prints into that file. */
    public Process start(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("kubectl", "gpushare"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("KUBECONFIG", folder.resolve("kubeconfig").toString());
        builder.environment().put("PATH", PLUGINS + ":" + System.getenv("PATH"));
        builder.environment().put("HOME", folder.toString()); // kubectl's cache of discovery
        return builder.start();
    }
}
