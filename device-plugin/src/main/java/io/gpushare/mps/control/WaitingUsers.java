package io.gpushare.mps.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Clients that wait until those of another user have ended, read from the daemon's log: without multi-user mode a server
 * serves the user of its first client.
 */
public final class WaitingUsers {
    private static final Pattern CLIENT = Pattern.compile(".*NEW CLIENT ([0-9]{1,9}) from user ([0-9]{1,9}):.*");
    private static final Pattern SERVER = Pattern.compile(".*Starting new server [0-9]{1,9} for user ([0-9]{1,9}).*");
    private static final long LONGEST = 1 << 20;

    private WaitingUsers() {}

    /** The processes that wait; those that have ended are left out. */
    public static List<Long> read(Path log) throws IOException {
        if (!Files.exists(log) || Files.size(log) > LONGEST) {
            return List.of();
        }
        return waiting(Files.readAllLines(log)).stream()
                .filter(pid -> ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false))
                .toList();
    }

    static List<Long> waiting(List<String> lines) {
        Map<Long, String> users = new LinkedHashMap<>();
        String served = "";
        for (String line : lines) {
            Matcher client = CLIENT.matcher(line);
            Matcher server = SERVER.matcher(line);
            if (server.matches()) {
                served = server.group(1);
            } else if (client.matches()) {
                users.put(Long.parseLong(client.group(1)), client.group(2));
            }
        }
        String user = served;
        return users.entrySet().stream()
                .filter(client -> !user.isEmpty() && !client.getValue().equals(user))
                .map(Map.Entry::getKey)
                .toList();
    }
}
