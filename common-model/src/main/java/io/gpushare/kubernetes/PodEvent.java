package io.gpushare.kubernetes;

import java.util.Objects;

/**
 * Something that a pod's people should know.
 *
 * @param warning whether it needs them; otherwise it is only told
 * @param component the program that tells it
 * @param reason one word in capitals and small letters, by which events are counted and searched
 * @param message a sentence that a user can act on; what is beyond the API's 1,024 characters is cut off
 */
public record PodEvent(boolean warning, String component, String reason, String message) {
    private static final int LIMIT = 1024;

    public PodEvent {
        Objects.requireNonNull(component);
        Objects.requireNonNull(reason);
        message = message.length() <= LIMIT ? message : message.substring(0, LIMIT - 1) + "…";
    }
}
