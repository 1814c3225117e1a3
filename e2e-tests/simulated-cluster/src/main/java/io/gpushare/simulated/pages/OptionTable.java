package io.gpushare.simulated.pages;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** Options as {@code --help} prints them, as a table of a page: a row for each, in the order of the help. */
public final class OptionTable {
    /** Each description ends with its default, which may be what a variable of the environment says. */
    private static final Pattern DESCRIPTION = Pattern.compile("(.+) \\[(.+)]");

    private OptionTable() {}

    /**
     * The lines of the table.
     *
     * @param page the path of the page from the root of the repository: links in it are relative
     */
    public static List<String> of(Collection<OptionSpec> options, String page) {
        List<String> lines = new ArrayList<>(List.of("| option | default | |", "|---|---|---|"));
        options.stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .map(option -> row(option, page))
                .forEach(lines::add);
        return lines;
    }

    private static String row(OptionSpec option, String page) {
        Matcher description = DESCRIPTION.matcher(String.join(" ", option.description()));
        @Nullable String value = option.defaultValue();
        String declared = value == null ? "" : value;
        if (!description.matches() || !description.group(2).endsWith(declared)) {
            throw new IllegalStateException(option.longestName() + ": its description must end with [" + declared
                    + "], the default: " + String.join(" ", option.description()));
        }
        String flag = option.longestName() + (option.arity().max() == 0 ? "" : "=" + option.paramLabel());
        String absent = description.group(2);
        return "| " + Pages.code(flag.replace("|", "\\|"))
                + " | " + (absent.equals(declared) ? Pages.code(absent) : Pages.cell(page, absent))
                + " | " + Pages.cell(page, description.group(1)) + " |";
    }
}
