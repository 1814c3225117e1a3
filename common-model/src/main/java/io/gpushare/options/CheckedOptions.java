package io.gpushare.options;

import java.util.List;

/** Options with rules that no single value can be checked against. */
public interface CheckedOptions {
    /**
     * One sentence for each rule that the values break; a value that could not be read has its field's initial value.
     */
    List<String> problems();
}
