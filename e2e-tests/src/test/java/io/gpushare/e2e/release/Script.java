package io.gpushare.e2e.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.patience.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** Runs a command in a folder, and makes small checkouts for the commands of a release. */
record Script(int code, String output) {
    static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    private static final List<String> FILES = List.of(
            "pom.xml",
            "deploy/release",
            "deploy/set-version",
            "deploy/images/steps.sh",
            "deploy/images/build",
            "deploy/chart/Chart.yaml",
            "deploy/isolation/mps.yaml",
            "deploy/kubectl/kubectl-gpushare",
            "deploy/manifests/device-plugin.yaml",
            "deploy/manifests/scheduler-extender.yaml");

    static Script run(Path folder, String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Script(Patience.exitCode(process), output);
    }

    /** A commit with the files that name the version, and that change log. */
    static void checkout(Path folder, String changes) throws Exception {
        for (String file : FILES) {
            Files.createDirectories(folder.resolve(file).getParent());
            Files.copy(ROOT.resolve(file), folder.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.writeString(folder.resolve("CHANGELOG.md"), changes);
        Files.writeString(folder.resolve(".gitignore"), "target/\n");
        for (String command : List.of("init -q", "add -A", "-c user.name=a -c user.email=a@example.com commit -qm a")) {
            String[] words = Stream.concat(Stream.of("git"), Stream.of(command.split(" ")))
                    .toArray(String[]::new);
            assertThat(run(folder, words)).isEqualTo(new Script(0, ""));
        }
    }
}
