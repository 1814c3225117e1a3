package io.gpushare.e2e.shape;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds packages that depend on each other in a cycle, packages with too many files, and pages with too many words. */
final class PackageShape {
    /** The number of packages, and of lines. */
    record Size(int packages, long lines) {}

    private PackageShape() {}

    /**
     * The cycles between packages under {@code io.gpushare} in these folders of classes, each with its dependencies.
     */
    static List<String> cycles(Collection<Path> classFolders) {
        JavaClasses classes = new ClassFileImporter().importPaths(classFolders);
        return SlicesRuleDefinition.slices()
                .matching("io.gpushare.(**)")
                .should()
                .beFreeOfCycles()
                .evaluate(classes)
                .getFailureReport()
                .getDetails();
    }

    /** The size of the code in that source folder. */
    static Size size(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> sources =
                    files.filter(file -> file.toString().endsWith(".java")).toList();
            long lines = 0;
            for (Path source : sources) {
                lines += Files.readAllLines(source).size();
            }
            return new Size(
                    (int) sources.stream().map(Path::getParent).distinct().count(), lines);
        }
    }

    /** The packages of these source folders with more files than that besides their documentation. */
    static List<String> tooLarge(Collection<Path> sourceFolders, int most) throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        for (Path folder : sourceFolders) {
            try (Stream<Path> files = Files.walk(folder)) {
                sizes.putAll(files.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> !file.endsWith("package-info.java"))
                        .collect(Collectors.groupingBy(
                                file -> folder.relativize(file.getParent())
                                        .toString()
                                        .replace('/', '.'),
                                Collectors.counting())));
            }
        }
        return sizes.entrySet().stream()
                .filter(size -> size.getValue() > most)
                .map(size -> "package " + size.getKey() + " has " + size.getValue() + " files; at most " + most)
                .toList();
    }

    /** Those of these pages with more words than that; a word is what white space separates. */
    static List<String> tooLong(Collection<Path> pages, int most) throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path page : pages) {
            int words = new StringTokenizer(Files.readString(page)).countTokens();
            if (words > most) {
                tooLong.add(page + " has " + words + " words; at most " + most);
            }
        }
        return tooLong;
    }
}
