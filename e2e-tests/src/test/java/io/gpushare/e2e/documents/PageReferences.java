package io.gpushare.e2e.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the files under a folder say about its pages. Markdown links to a path beside the page. Other files, and
 * Markdown outside of its links, name a path from the root, from a module or from their own folder.
 */
public final class PageReferences {
    // What builds write, and what git and IDEs keep.
    private static final Set<String> NO_SOURCES = Set.of("target", ".git", ".idea", ".vscode");
    private static final Set<String> WRITTEN_BY_PROGRAMS = Set.of("report.md", "notes.md");
    private static final String MADE_UP_PAGES = "PageReferencesTest.java";
    private static final long LARGEST = 1 << 20;
    private static final Pattern URL = Pattern.compile("\\b[a-z]+://\\S+");
    // A path whose start is computed, such as $folder/a.md, is none.
    private static final Pattern MENTION = Pattern.compile(
            "(?<![\\w/.@$%}*-])(?:(?:[\\w.-]+/)*[\\w-][\\w.-]*\\.md\\b|deploy/docs(?:/[\\w-]++)*+\\b(?![.*]))"
                    + "(?:#[\\w-]+)?");

    private final Path root;
    private final List<Path> files;
    private final Map<Path, MarkdownPage> pages = new HashMap<>();

    private PageReferences(Path root, List<Path> files) {
        this.root = root;
        this.files = files;
    }

    public static PageReferences under(Path folder) throws IOException {
        Path root = folder.toAbsolutePath().normalize();
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                return NO_SOURCES.contains(visited.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && attributes.size() < LARGEST && !file.endsWith(MADE_UP_PAGES)) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return new PageReferences(root, files.stream().sorted().toList());
    }

    /** How many links Markdown pages have to files and headings of the folder. */
    public int links() {
        return (int) linked().count();
    }

    /** How often a file names a page's path outside of a link. */
    public int mentions() {
        return (int) mentioned().count();
    }

    /** The links that lead nowhere, each with its file and line. */
    public List<String> brokenLinks() {
        return linked().flatMap(link -> fault(link, Optional.of(target(link))).stream())
                .toList();
    }

    /** The named pages that do not exist, each with its file and line. */
    public List<String> brokenMentions() {
        return mentioned()
                .flatMap(mention -> fault(mention, named(mention)).stream())
                .toList();
    }

    private Stream<Reference> linked() {
        return files.stream().filter(PageReferences::isPage).flatMap(file -> page(file).links().stream());
    }

    private Stream<Reference> mentioned() {
        return files.stream().flatMap(this::mentioned);
    }

    private Stream<Reference> mentioned(Path file) {
        List<Reference> mentions = new ArrayList<>();
        int number = 0;
        for (String line : text(file).lines().toList()) {
            number++;
            int at = number;
            String searched = URL.matcher(isPage(file) ? MarkdownPage.withoutLinks(line) : line)
                    .replaceAll("");
            MENTION.matcher(searched)
                    .results()
                    .map(found -> new Reference(file, at, found.group()))
                    .filter(mention -> !WRITTEN_BY_PROGRAMS.contains(mention.path()))
                    // Prose also names pages that each module has.
                    .filter(mention -> !isPage(file) || mention.path().contains("/"))
                    .forEach(mentions::add);
        }
        return mentions.stream();
    }

    private Path target(Reference link) {
        return link.path().isEmpty()
                ? link.file()
                : link.file().resolveSibling(link.path()).normalize();
    }

    /** The path from the folder of the file, or from one above it. */
    private Optional<Path> named(Reference mention) {
        return Stream.iterate(mention.file().getParent(), folder -> folder.startsWith(root), Path::getParent)
                .map(folder -> folder.resolve(mention.path()).normalize())
                .filter(Files::exists)
                .findFirst();
    }

    private Optional<String> fault(Reference reference, Optional<Path> target) {
        if (target.isEmpty() || !target.get().startsWith(root) || !Files.exists(target.get())) {
            return Optional.of(sentence(reference, "no such file"));
        }
        return reference.anchor().isEmpty() || anchors(target.get()).contains(reference.anchor())
                ? Optional.empty()
                : Optional.of(sentence(reference, "no such heading"));
    }

    private Set<String> anchors(Path target) {
        // GitHub shows the README of a folder.
        Path page = Files.isDirectory(target) ? target.resolve("README.md") : target;
        return isPage(page) && Files.exists(page) ? page(page).anchors() : Set.of();
    }

    private String sentence(Reference reference, String fault) {
        return root.relativize(reference.file()) + ":" + reference.line() + ": " + reference.target() + ": " + fault;
    }

    private MarkdownPage page(Path file) {
        return pages.computeIfAbsent(file, missing -> {
            try {
                return MarkdownPage.read(missing);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }

    private static String text(Path file) {
        try {
            // Pictures and other bytes become text in which nothing is found.
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
