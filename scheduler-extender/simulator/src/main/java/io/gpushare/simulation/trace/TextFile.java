package io.gpushare.simulation.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads whole files as UTF-8 text. */
final class TextFile {
    private static final int MAX_BYTES = 64 << 20;

    private TextFile() {}

    /** Refuses what is no file. */
    static void check(Path path) throws BadInputException {
        if (Files.notExists(path)) {
            throw new BadInputException(path + " does not exist");
        }
        if (Files.isDirectory(path)) {
            throw new BadInputException(path + " is a directory: name a file");
        }
    }

    static String read(Path path) throws BadInputException {
        check(path);
        byte[] bytes;
        try (InputStream file = Files.newInputStream(path)) {
            bytes = file.readNBytes(MAX_BYTES + 1);
        } catch (AccessDeniedException e) {
            throw new BadInputException(path + " can't be read: permission denied");
        } catch (IOException e) {
            throw new BadInputException(path + " can't be read: " + e.getMessage());
        }
        if (bytes.length > MAX_BYTES) {
            throw new BadInputException(path + " has more than " + (MAX_BYTES >> 20) + " MiB: use the column count");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BadInputException(path + " is not UTF-8 text: save it as plain CSV");
        }
    }
}
