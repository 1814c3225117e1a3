package io.gpushare.simulated.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines of a page between {@code <!-- written by <name> -->} and the next {@code <!-- end -->}.
 *
 * @param page the path of the page from the root of the repository
 * @param name the test that writes the section, and its module
 */
public record WrittenSection(String page, String name) {
    /** What to do about a section that is old. */
    public static final String HOW =
            "The page is old: it is written from what the programs declare. Write it again with"
                    + " ./mvnw -Dfast -T 1 test -pl device-plugin,scheduler-extender -am -Dtest=OptionsPageTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dgpushare.pages.write=true";

    private static final String END = "<!-- end -->";

    /**
     * The lines that only the page has, or lacks. Writes them into the page if {@code -Dgpushare.pages.write=true} asks
     * for it.
     */
    public List<String> differences(List<String> declared) throws IOException {
        Path file = Pages.file(page);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        int begin = lines.indexOf("<!-- written by " + name + " -->") + 1;
        int length = lines.subList(begin, lines.size()).indexOf(END);
        if (begin == 0 || length < 0) {
            throw new IllegalStateException(page + " has no section that is written by " + name);
        }
        List<String> section = lines.subList(begin, begin + length);
        if (Boolean.getBoolean("gpushare.pages.write")) {
            section.clear();
            section.addAll(declared);
            Files.write(file, lines);
        }
        List<String> differences = new ArrayList<>();
        section.stream().filter(line -> !declared.contains(line)).forEach(line -> differences.add("old: " + line));
        declared.stream().filter(line -> !section.contains(line)).forEach(line -> differences.add("missing: " + line));
        if (differences.isEmpty() && !section.equals(declared)) {
            differences.add("other order");
        }
        return differences;
    }
}
