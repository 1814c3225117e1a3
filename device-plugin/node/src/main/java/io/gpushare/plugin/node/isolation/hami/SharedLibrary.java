package io.gpushare.plugin.node.isolation.hami;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads which symbols a shared library exports, from its ELF file of 64 bits (System V ABI, chapter "Object Files").
 */
final class SharedLibrary {
    private static final int MAGIC = 0x7f454c46;
    private static final int BITS_64 = 2;
    private static final int LITTLE_ENDIAN = 1;
    private static final int SHARED = 3;
    private static final Map<String, Integer> MACHINES = Map.of("amd64", 62, "aarch64", 183);

    private static final int SECTION_SIZE = 64;
    private static final int DYNAMIC_SYMBOLS = 11;
    private static final int SYMBOL_SIZE = 24;
    private static final int GLOBAL = 1;
    private static final int WEAK = 2;
    private static final int MOST_SYMBOLS = 100_000;

    private final ByteBuffer file;

    private SharedLibrary(ByteBuffer file) {
        this.file = file.order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * The names of the symbols that it defines for others.
     *
     * @param architecture the machine's, as Java names it
     * @throws IllegalArgumentException with the reason if it is no shared library for that machine
     */
    static Set<String> exports(ByteBuffer file, String architecture) {
        try {
            SharedLibrary library = new SharedLibrary(file.duplicate());
            library.check(architecture);
            return library.exports();
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("the file is cut", e);
        }
    }

    private void check(String architecture) {
        if (Integer.reverseBytes(file.getInt(0)) != MAGIC
                || file.get(4) != BITS_64
                || file.get(5) != LITTLE_ENDIAN
                || file.getShort(16) != SHARED) {
            throw new IllegalArgumentException("it is no shared library of 64 bits");
        }
        if (!Integer.valueOf(file.getShort(18)).equals(MACHINES.get(architecture))) {
            throw new IllegalArgumentException("it is for another machine than " + architecture);
        }
    }

    private Set<String> exports() {
        Set<String> names = new HashSet<>();
        int sections = Math.toIntExact(Math.min(file.getLong(40), file.limit()));
        int count = Short.toUnsignedInt(file.getShort(60));
        file.get(sections + count * SECTION_SIZE - 1);
        for (int i = 0; i < count; i++) {
            int section = sections + i * SECTION_SIZE;
            if (file.getInt(section + 4) == DYNAMIC_SYMBOLS) {
                read(section, sections + file.getInt(section + 40) * SECTION_SIZE, names);
            }
        }
        return names;
    }

    private void read(int symbols, int strings, Set<String> names) {
        int first = offset(symbols);
        long count = Math.min(file.getLong(symbols + 32) / SYMBOL_SIZE, MOST_SYMBOLS);
        for (int i = 0; i < count; i++) {
            int symbol = first + i * SYMBOL_SIZE;
            int binding = file.get(symbol + 4) >> 4;
            boolean defined = file.getShort(symbol + 6) != 0;
            if (defined && (binding == GLOBAL || binding == WEAK)) {
                names.add(text(offset(strings) + file.getInt(symbol)));
            }
        }
    }

    private int offset(int section) {
        return Math.toIntExact(Math.clamp(file.getLong(section + 24), 0, file.limit()));
    }

    private String text(int start) {
        int end = start;
        while (file.get(end) != 0) {
            end++;
        }
        byte[] text = new byte[end - start];
        file.get(start, text);
        return new String(text, StandardCharsets.US_ASCII);
    }
}
