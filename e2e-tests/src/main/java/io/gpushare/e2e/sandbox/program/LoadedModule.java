package io.gpushare.e2e.sandbox.program;

import io.gpushare.simulated.program.Ends;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The classes of a module's programs in this JVM, apart from all others: they share nothing but the JDK with those who
 * start them.
 */
final class LoadedModule {
    private static final Map<Path, LoadedModule> MODULES = new ConcurrentHashMap<>();

    private final ClassLoader classes;

    private LoadedModule(ClassLoader classes) {
        this.classes = classes;
    }

    static LoadedModule of(Path module) throws IOException {
        Path path = module.toAbsolutePath().normalize();
        requireBuilt(path);
        return MODULES.computeIfAbsent(path, LoadedModule::load);
    }

    static Path classes(Path module) {
        return module.resolve("target/classes");
    }

    static Path libraries(Path module) {
        return module.resolve("target/lib");
    }

    static void requireBuilt(Path module) throws IOException {
        if (!Files.isDirectory(classes(module)) || !Files.isDirectory(libraries(module))) {
            throw new IOException("the programs of " + module + " are not built: run ./mvnw -Dfast -DskipTests package"
                    + " first (" + libraries(module) + " is missing)");
        }
    }

    private static LoadedModule load(Path module) {
        List<URL> path = new ArrayList<>();
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(libraries(module), "*.jar")) {
            path.add(classes(module).toUri().toURL());
            for (Path jar : jars) {
                path.add(jar.toUri().toURL());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new LoadedModule(new URLClassLoader(
                "programs of " + module.getFileName(), path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader()));
    }

    /**
     * Starts the program of that main class by the call that the main class makes.
     *
     * @param arguments the main class and its flags
     */
    Ends start(List<String> arguments, Map<String, String> environment) throws ReflectiveOperationException {
        Thread.currentThread().setContextClassLoader(classes);
        Class<?> program = classes.loadClass(arguments.getFirst().replaceFirst("Main$", "Program"));
        Method start = Arrays.stream(program.getMethods())
                .filter(method -> method.getName().equals("start"))
                .findFirst()
                .orElseThrow(() -> new NoSuchMethodException(program + " has no start"));
        List<Object> values = new ArrayList<>(List.of(arguments.subList(1, arguments.size()), environment));
        if (start.getParameterCount() > values.size()) {
            values.add(classes.loadClass("io.gpushare.time.Clocks")
                    .getMethod("system")
                    .invoke(null));
        }
        Object running = start.invoke(null, values.toArray());
        CompletableFuture<Integer> exit =
                ((CompletableFuture<?>) call(running, "exit")).thenApply(code -> (Integer) code);
        return new Ends(exit, () -> call(running, "terminate"), () -> call(running, "fail"));
    }

    private static Object call(Object target, String method) {
        try {
            return target.getClass().getMethod(method).invoke(target);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(method + " of " + target, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
