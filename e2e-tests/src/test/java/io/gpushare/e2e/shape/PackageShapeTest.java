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

/** The shape of the main code of all modules; and what is refused, on a made-up one. */
class PackageShapeTest {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root"));

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
        assertThat(PackageShape.tooLarge(
                        modules.stream()
                                .map(module -> module.resolve("src/main/java"))
                                .toList(),
                        PackageShape.MOST_FILES))
                .isEmpty();
    }

    @Test
    void packagesOfTestsOfTheExtenderAreSmall() throws IOException {
        List<Path> tests = modules.stream()
                .filter(module -> module.startsWith(ROOT.resolve("scheduler-extender")))
                .map(module -> module.resolve("src/test/java"))
                .toList();
        assertThat(tests).hasSize(3);
        assertThat(PackageShape.tooLarge(tests, PackageShape.MOST_TEST_FILES)).isEmpty();
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
        assertThat(PackageShape.tooLarge(List.of(madeUp), PackageShape.MOST_FILES))
                .containsExactly("package io.gpushare.madeup.many has 16 files; at most 15");
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
