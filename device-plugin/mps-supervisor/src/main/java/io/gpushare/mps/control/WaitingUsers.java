package io.gpushare.mps.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Clients that wait until those of another user have ended, from the lines of the daemon's log: without multi-user mode
 * a server serves the user of its first client. It keeps the latest clients only.
 */
final class WaitingUsers {
    /** What clients send is behind "Cmd:". */
    private static final String FROM = "\\[[^\\]]*\\] *";

    private static final Pattern CLIENT = Pattern.compile(FROM + "NEW CLIENT ([0-9]{1,9}) from user ([0-9]{1,9}):.*");
    private static final Pattern SERVER =
            Pattern.compile(FROM + "Starting new server [0-9]{1,9} for user ([0-9]{1,9}).*");
    private static final int MOST = 1024;

    private final Map<Long, String> users = new LinkedHashMap<>();
    private String served = "";

    /** The daemon logged this line. */
    synchronized void read(String line) {
        Matcher client = CLIENT.matcher(line);
        Matcher server = SERVER.matcher(line);
        if (server.matches()) {
            served = server.group(1);
        } else if (client.matches()) {
            long pid = Long.parseLong(client.group(1));
            users.remove(pid);
            users.put(pid, client.group(2));
            if (users.size() > MOST) {
                users.remove(users.keySet().iterator().next());
            }
        }
    }

    /** The processes that wait, as far as they have not ended since. */
    synchronized List<Long> waiting() {
        return users.entrySet().stream()
                .filter(client -> !served.isEmpty() && !client.getValue().equals(served))
                .map(Map.Entry::getKey)
                .toList();
    }
}
