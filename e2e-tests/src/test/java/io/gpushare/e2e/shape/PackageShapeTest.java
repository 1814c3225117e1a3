package io.gpushare.e2e.shape;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shape of the code and the design pages of all modules; and what is refused, on made-up ones. */
class PackageShapeTest {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root"));

    private static final int MOST_FILES = 15;
    private static final int MOST_FILES_OF_TESTS = 20;
    private static final int MOST_WORDS = 1500;

    private static List<Path> modules;

    @TempDir
    Path madeUp;

    @BeforeAll
    static void findModules() throws IOException {
        try (Stream<Path> poms = Files.walk(ROOT, 3)) {
            modules = poms.filter(file -> file.endsWith("pom.xml"))
                    .map(Path::getParent)
                    .filter(module -> Files.isDirectory(module.resolve("src/main/java")))
                    .toList();
        }
        assertThat(modules).hasSizeGreaterThan(4);
    }

    @Test
    void packagesHaveNoCycles() {
        List<Path> classes =
                modules.stream().map(module -> module.resolve("target/classes")).toList();
        assertThat(classes).allSatisfy(folder -> assertThat(folder).isDirectory());
        assertThat(PackageShape.cycles(classes)).isEmpty();
    }

    @Test
    void packagesAreSmall() throws IOException {
        assertThat(PackageShape.tooLarge(folders("src/main/java"), MOST_FILES)).isEmpty();
    }

    @Test
    void packagesOfTestsAreSmall() throws IOException {
        assertThat(PackageShape.tooLarge(folders("src/test/java"), MOST_FILES_OF_TESTS))
                .isEmpty();
    }

    @Test
    void designPagesAreShort() throws IOException {
        List<Path> pages = folders("DESIGN.md");
        assertThat(pages).hasSizeGreaterThan(1);
        assertThat(PackageShape.tooLong(pages, MOST_WORDS)).isEmpty();
    }

    private static List<Path> folders(String name) {
        return modules.stream()
                .map(module -> module.resolve(name))
                .filter(Files::exists)
                .toList();
    }

    @Test
    void whatDecidesInTheExtenderStaysSmall() throws IOException {
        PackageShape.Size size = PackageShape.size(ROOT.resolve("scheduler-extender/src/main/java"));
        assertThat(size.packages()).isBetween(10, 16);
        assertThat(size.lines()).isBetween(5_000L, 13_500L);
    }

    @Test
    void aCycleIsRefusedWithItsName() throws IOException {
        source("a.A", "public class A { io.gpushare.madeup.b.c.B b; }");
        source("b.c.B", "public class B { io.gpushare.madeup.a.A a; }");
        compile();
        assertThat(PackageShape.cycles(List.of(madeUp)))
                .singleElement()
                .asString()
                .contains("Cycle detected: Slice madeup.a", "Slice madeup.b.c");
    }

    @Test
    void aDependencyInOneDirectionIsAccepted() throws IOException {
        source("a.A", "public class A { io.gpushare.madeup.b.B b; }");
        source("b.B", "public class B {}");
        compile();
        assertThat(PackageShape.cycles(List.of(madeUp))).isEmpty();
    }

    @Test
    void aPackageOfSixteenFilesIsRefusedAndOneOfFifteenIsNot() throws IOException {
        for (int i = 0; i < 16; i++) {
            source("many.C" + i, "class C" + i + " {}");
        }
        source("many.package-info", "");
        for (int i = 0; i < 15; i++) {
            source("many.few.C" + i, "class C" + i + " {}");
        }
        source("many.few.package-info", "");
        assertThat(PackageShape.tooLarge(List.of(madeUp), MOST_FILES))
                .containsExactly("package io.gpushare.madeup.many has 16 files; at most 15");
    }

    @Test
    void aPageOfTooManyWordsIsRefusedAndOneOfAsManyAsAllowedIsNot() throws IOException {
        Path page = madeUp.resolve("DESIGN.md");
        Files.writeString(page, "# Four short words\n\n| more |\n");
        assertThat(PackageShape.tooLong(List.of(page), 7)).isEmpty();
        assertThat(PackageShape.tooLong(List.of(page), 6)).containsExactly(page + " has 7 words; at most 6");
    }

    private void source(String name, String text) throws IOException {
        int end = name.lastIndexOf('.');
        String pkg = "io.gpushare.madeup." + name.substring(0, end);
        Path folder = Files.createDirectories(madeUp.resolve(pkg.replace('.', '/')));
        Files.writeString(folder.resolve(name.substring(end + 1) + ".java"), "package " + pkg + ";\n" + text + "\n");
    }

    private void compile() throws IOException {
        try (Stream<Path> files = Files.walk(madeUp)) {
            String[] sources = files.map(Path::toString)
                    .filter(file -> file.endsWith(".java"))
                    .toArray(String[]::new);
            assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, sources))
                    .isZero();
        }
    }
}
