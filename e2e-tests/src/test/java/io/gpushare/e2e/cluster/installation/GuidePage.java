package io.gpushare.e2e.cluster.installation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The commands that a page of {@code deploy} tells its readers to run. */
record GuidePage(Path file) {
    /** The code blocks for the shell below that heading, in their order. */
    List<String> commands(String heading) throws IOException {
        List<String> blocks = new ArrayList<>();
        StringBuilder block = new StringBuilder();
        boolean inSection = false;
        boolean inBlock = false;
        for (String line : Files.readAllLines(file)) {
            if (inBlock && line.equals("```")) {
                blocks.add(block.toString());
                block.setLength(0);
                inBlock = false;
            } else if (inBlock) {
                block.append(line).append('\n');
            } else if (line.startsWith("## ")) {
                inSection = line.equals("## " + heading);
            } else {
                inBlock = inSection && line.equals("```sh");
            }
        }
        if (blocks.isEmpty()) {
            throw new IllegalStateException(file + " has no commands below '## " + heading + "'");
        }
        return blocks;
    }
}
