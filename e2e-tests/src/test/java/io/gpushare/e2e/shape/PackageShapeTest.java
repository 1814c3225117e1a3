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

/** The packages of all modules have no cycles; and what is refused, on made-up ones. */
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

    private static List<Path> classes() {
        List<Path> classes =
                modules.stream().map(module -> module.resolve("target/classes")).toList();
        assertThat(classes).allSatisfy(folder -> assertThat(folder).isDirectory());
        return classes;
    }

    @Test
    void packagesHaveNoCycles() {
        assertThat(PackageShape.cycles(classes())).isEmpty();
    }

    @Test
    void theProgramsHaveTheirThreadsAndTimesFromOnePlace() {
        assertThat(PackageShape.ownTimes(classes())).isEmpty();
    }

    @Test
    void aTimeOfItsOwnIsRefusedWithItsLine() throws IOException {
        Path folder = Files.createDirectories(madeUp.resolve("io/gpushare/plugin/madeup"));
        Files.writeString(folder.resolve("A.java"), """
            package io.gpushare.plugin.madeup;
            class A { long now() { return System.nanoTime(); }
              java.util.function.Supplier<java.time.Instant> clock = java.time.Instant::now; }
            """);
        compile();
        assertThat(PackageShape.ownTimes(List.of(madeUp)))
                .anySatisfy(line -> assertThat(line).contains("A.now()", "nanoTime", "(A.java:2)"))
                .anySatisfy(line -> assertThat(line).contains("java.time.Instant.now()", "(A.java:3)"));
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
