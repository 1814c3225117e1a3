package io.gpushare.kubernetes;

import io.gpushare.model.text.Printable;

/**
 * An occurrence that the owner of a pod, or the operator of a node, should know about.
 *
 * @param warning whether somebody must act
 * @param reason a CamelCase word by which events are counted and searched
 * @param message a sentence that a user can act on, made one line and cut off after the API's 1,024 bytes
 */
public record PodEvent(boolean warning, String reason, String message) {
    private static final int LONGEST_MESSAGE = 1024;

    public PodEvent {
        message = Printable.line(message, LONGEST_MESSAGE);
    }
}
