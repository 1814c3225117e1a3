package io.gpushare.e2e.sandbox.program;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts programs from their images with {@code deploy/images/try}. Each JVM records what it loads and runs, for the
 * AOT cache of the image (JEP 483), and writes it to {@code record/files/<module>.aotconf} when it ends.
 *
 * @param repository the checkout
 * @param images the folder of the image files and of {@code record/files}, which every user can write
 */
public record RecordedImages(Path repository, Path images) {
    /** Longer than any run. */
    private static final String SECONDS = "3600";

    /**
     * Starts a program.
     *
     * @param arguments the main class, which the image names itself, and its flags
     * @param mounts folders that the program sees under their own path
     */
    public Program start(
            String module, List<String> arguments, Map<String, String> environment, List<Path> mounts, Path log)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                repository.resolve("deploy/images/try").toString(),
                "-s",
                SECONDS,
                "-v",
                images.resolve("record/files") + ":/record",
                "-e",
                "JAVA_TOOL_OPTIONS=-XX:AOTMode=record -XX:AOTConfiguration=/record/" + module + ".aotconf"));
        mounts.forEach(mount -> command.addAll(List.of("-v", mount + ":" + mount)));
        environment.forEach((name, value) -> command.addAll(List.of("-e", name + "=" + value)));
        command.add(images.resolve("gpushare-" + module + ".tar").toString());
        command.addAll(arguments.subList(1, arguments.size()));
        return Program.start(module, command, Map.of(), log);
    }
}
