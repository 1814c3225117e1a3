package io.gpushare.e2e.documents;

import java.nio.file.Path;

/**
 * A reference in a file to another one, or to a heading.
 *
 * @param line the line in the file, from 1
 * @param target the path, the heading's anchor after {@code #}, or both
 */
record Reference(Path file, int line, String target) {
    /** The path without the anchor; empty if the target is in the same file. */
    String path() {
        int anchor = target.indexOf('#');
        return anchor < 0 ? target : target.substring(0, anchor);
    }

    /** The anchor without {@code #}; empty if the target is a file or folder. */
    String anchor() {
        int anchor = target.indexOf('#');
        return anchor < 0 ? "" : target.substring(anchor + 1);
    }
}
