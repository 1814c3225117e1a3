package io.gpushare.plugin.claims.prepare;

import io.gpushare.kubernetes.wire.Json;
import io.gpushare.plugin.claims.prepare.CdiDocument.Recorded;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The files of claims in the directory that container runtimes read. Each has the uid of its claim in its name and in
 * the names of its devices: a runtime may keep what it read, and a uid is never used again.
 */
public record CdiFiles(Path directory) {
    private static final String PREFIX = "gpushare.io-claim_";
    /** Of a claim that only watches cards: nobody has to know it to count them. */
    private static final String WATCHING = "gpushare.io-watching_";

    private static final String SUFFIX = ".json";
    private static final String UNFINISHED = ".next";
    /** Beside the file of a claim that was unprepared under a running container. Runtimes do not read it. */
    private static final String LEFT = ".left";

    private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{1,64}");

    /** Writes the file of that claim, in one step. */
    void write(String uid, Map<String, Object> document) throws IOException {
        write(PREFIX, uid, document);
    }

    /** Writes the file of a claim that only watches cards, in one step. */
    void writeWatching(String uid, Map<String, Object> document) throws IOException {
        write(WATCHING, uid, document);
    }

    private void write(String prefix, String uid, Map<String, Object> document) throws IOException {
        Files.createDirectories(directory);
        // Runtimes read files that end with .json or .yaml.
        Path next = file(prefix, uid, UNFINISHED);
        Files.write(next, Json.write(document));
        Files.deleteIfExists(file(prefix, uid, LEFT));
        Files.move(next, file(prefix, uid, SUFFIX), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Records that the kubelet makes no more calls for that claim, also for the next process. */
    void leave(String uid) throws IOException {
        Files.write(file(PREFIX, uid, LEFT), new byte[0]);
    }

    /** The uids of the claims for which the kubelet makes no more calls. */
    Set<String> left() throws IOException {
        return files(PREFIX, LEFT).stream()
                .map(file -> String.valueOf(file.getFileName()))
                .map(name -> name.substring(PREFIX.length(), name.length() - LEFT.length()))
                .filter(UID.asMatchPredicate())
                .collect(Collectors.toSet());
    }

    /** Removes the file of that claim, if there is one, and what a full disk left unfinished of it. */
    void delete(String uid) throws IOException {
        for (String prefix : List.of(PREFIX, WATCHING)) {
            Files.deleteIfExists(file(prefix, uid, SUFFIX));
            Files.deleteIfExists(file(prefix, uid, UNFINISHED));
            Files.deleteIfExists(file(prefix, uid, LEFT));
        }
    }

    /**
     * What the files of claims record.
     *
     * @param unread files of which nobody knows what they record
     */
    record Records(List<Recorded> claims, List<Path> unread) {
        static final Records NONE = new Records(List.of(), List.of());

        Records {
            claims = List.copyOf(claims);
            unread = List.copyOf(unread);
        }
    }

    /** Whether a claim has a file, as far as anybody can see. */
    public boolean mayHaveAny() {
        try {
            return !files(PREFIX, SUFFIX).isEmpty();
        } catch (IOException e) {
            return true;
        }
    }

    /** By name; none if there is no directory; one that can't be listed is another thing. */
    private List<Path> files(String prefix, String suffix) throws IOException {
        List<Path> found = new ArrayList<>();
        if (!Files.notExists(directory)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, prefix + "*" + suffix)) {
                files.forEach(found::add);
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
        Collections.sort(found);
        return found;
    }

    /** Removes what a process that was killed had not finished. */
    void deleteUnfinished() throws IOException {
        for (String prefix : List.of(PREFIX, WATCHING)) {
            for (Path file : files(prefix, UNFINISHED)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** What the files record. One that can't be read is left to the running pod that may need it. */
    Records read() throws IOException {
        List<Recorded> claims = new ArrayList<>();
        List<Path> unread = new ArrayList<>();
        for (Path file : files(PREFIX, SUFFIX)) {
            try (InputStream in = Files.newInputStream(file)) {
                CdiDocument.recorded(Json.read(in)).ifPresentOrElse(claims::add, () -> unread.add(file));
            } catch (NoSuchFileException e) {
                // Its claim has just ended.
            } catch (IOException e) {
                unread.add(file);
            }
        }
        return new Records(claims, unread);
    }

    /** Whether that is the file of a claim. */
    static boolean ofClaim(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.startsWith(PREFIX) || name.startsWith(WATCHING);
    }

    /** Whether that claim has its file. */
    boolean has(String uid) {
        return Files.exists(file(PREFIX, uid, SUFFIX));
    }

    /** Whether that claim has the file of one that only watches cards. */
    boolean watches(String uid) {
        return Files.exists(file(WATCHING, uid, SUFFIX));
    }

    /** The file of that claim. */
    Path file(String uid) {
        return file(PREFIX, uid, SUFFIX);
    }

    /** The file of that claim, if it only watches cards. */
    Path watchingFile(String uid) {
        return file(WATCHING, uid, SUFFIX);
    }

    private Path file(String prefix, String uid, String suffix) {
        return directory.resolve(prefix + checked(uid) + suffix);
    }

    private static String checked(String uid) {
        if (!UID.matcher(uid).matches()) {
            throw new IllegalArgumentException("a claim has no such uid: '" + uid + "'");
        }
        return uid;
    }
}
