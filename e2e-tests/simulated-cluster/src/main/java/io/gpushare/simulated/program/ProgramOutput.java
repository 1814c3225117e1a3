package io.gpushare.simulated.program;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Separates what the programs in this JVM print, by the groups of their threads: a thread is in the group of the thread
 * that started it. Logback's console appender prints in the thread that logs, to whatever {@link System#err} is then.
 */
final class ProgramOutput extends OutputStream {
    private static final Map<ThreadGroup, OutputStream> FILES = new ConcurrentHashMap<>();
    private static boolean installed;

    private final OutputStream others;

    private ProgramOutput(OutputStream others) {
        this.others = others;
    }

    /** What the threads of that group print goes to that file from now on, after what it already has. */
    static void redirect(ThreadGroup threads, Path file) throws IOException {
        install();
        FILES.put(threads, Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    private static synchronized void install() {
        if (!installed) {
            System.setOut(new PrintStream(new ProgramOutput(System.out), true));
            System.setErr(new PrintStream(new ProgramOutput(System.err), true));
            installed = true;
        }
    }

    /** What is still printed goes where that of this JVM goes. */
    static void end(ThreadGroup threads) {
        @Nullable OutputStream file = FILES.remove(threads);
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                System.err.println(threads.getName() + ": " + e);
            }
        }
    }

    private OutputStream target() {
        for (@Nullable ThreadGroup group = Thread.currentThread().getThreadGroup();
                group != null;
                group = group.getParent()) {
            @Nullable OutputStream file = FILES.get(group);
            if (file != null) {
                return file;
            }
        }
        return others;
    }

    @Override
    public void write(int each) throws IOException {
        target().write(each);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        target().write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        target().flush();
    }
}
