package io.gpushare.options;

import java.util.List;

/** Everything that is wrong with the options of one start. */
public final class InvalidOptionsException extends Exception {
    private static final long serialVersionUID = 1;

    /** @param errors one sentence each */
    public InvalidOptionsException(List<String> errors) {
        super(String.join("\n", errors));
    }
}
