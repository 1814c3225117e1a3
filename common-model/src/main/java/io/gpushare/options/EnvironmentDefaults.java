package io.gpushare.options;

import io.gpushare.model.text.NearestName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Reads the value of a flag that is not given from the environment: {@code --lease-name} from {@code GPUSHARE_LEASE_NAME}.
 * A flag may have further names, which others define, such as {@code KUBECONFIG}. An empty variable counts as absent.
 */
public final class EnvironmentDefaults implements IDefaultValueProvider {
    /** What the variables of these programs begin with. */
    public static final String PREFIX = "GPUSHARE_";

    /** What the kubectl plugin, the build, the tests and the simulated driver read. */
    private static final Set<String> OTHERS = Set.of(
            "GPUSHARE_SERVICE",
            "GPUSHARE_HTTPS",
            "GPUSHARE_CACHE",
            "GPUSHARE_KUBERNETES",
            "GPUSHARE_SIMULATED_CARDS",
            "GPUSHARE_SIMULATED_MPS");

    private final Map<String, String> environment;
    private final Map<String, List<String>> aliases = new HashMap<>();
    private final Set<String> rejected = new HashSet<>();
    // Keyed by flag: why the variable that names its file is not used.
    private final Map<String, String> absentFiles = new TreeMap<>();
    private final List<String> withoutEffect = new ArrayList<>();
    // The flags whose values came from here.
    private final Set<String> used = new HashSet<>();

    /** @param environment such as {@link System#getenv()} */
    public EnvironmentDefaults(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /** Also reads the flag from a variable that Kubernetes or the manifest defines, where its own variable is absent. */
    public EnvironmentDefaults alias(String flag, String variable) {
        aliases.computeIfAbsent(flag, absent -> new ArrayList<>()).add(variable);
        return this;
    }

    /**
     * As {@link #alias}, for a variable that names a file: gpushare's manifests name one that does not exist in the
     * container.
     *
     * @param otherwise what is used if there is no such file
     */
    public EnvironmentDefaults aliasOfFile(String flag, String variable, String otherwise) {
        @Nullable String file = environment.get(variable);
        if (file == null || file.isEmpty() || Files.isReadable(Path.of(file))) {
            return alias(flag, variable);
        }
        absentFiles.put(
                flag, variable + " names " + file + ", which does not exist or can't be read: using " + otherwise);
        return this;
    }

    /** Reports a variable of gpushare that has no effect, if it is set. */
    public EnvironmentDefaults withoutEffect(String variable, String reason) {
        if (!environment.getOrDefault(variable, "").isEmpty()) {
            withoutEffect.add(variable + " has no effect: " + reason);
        }
        return this;
    }

    /** The environment variable of a flag. */
    public static String variable(String flag) {
        return PREFIX + flag.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        // Subcommands have flags of their own, without variables.
        if (!(argument instanceof OptionSpec option) || option.command().parent() != null) {
            return null;
        }
        String flag = option.longestName();
        @Nullable Source source = source(flag);
        if (source == null) {
            return null;
        }
        used.add(flag);
        return source.value();
    }

    /** A variable that is set, and its value. */
    record Source(String variable, String value) {}

    /** Where the flag's value comes from if the flag is not given; null for its default. */
    @Nullable
    Source source(String flag) {
        for (String variable : variables(flag)) {
            @Nullable String value = value(variable);
            if (value != null) {
                return new Source(variable, value);
            }
        }
        return null;
    }

    /** Counts the variable as absent from now on. */
    void reject(String variable) {
        rejected.add(variable);
    }

    private List<String> variables(String flag) {
        List<String> all = new ArrayList<>(List.of(variable(flag)));
        all.addAll(aliases.getOrDefault(flag, List.of()));
        return all;
    }

    private @Nullable String value(String variable) {
        @Nullable String value = environment.get(variable);
        if (value == null || value.isEmpty() || rejected.contains(variable) || ServiceLinks.isLink(variable, value)) {
            return null;
        }
        return value;
    }

    /** The values of the flags that match are not in use: they were given as arguments. */
    void overridden(Predicate<String> flag) {
        used.removeIf(flag);
        absentFiles.keySet().removeIf(flag);
    }

    /** One sentence for each variable of gpushare that is not used. */
    public List<String> notices() {
        List<String> notices = new ArrayList<>(withoutEffect);
        absentFiles.forEach((flag, notice) -> {
            if (!used.contains(flag)) {
                notices.add(notice);
            }
        });
        return notices;
    }

    /** One sentence for each variable with the prefix that belongs to no flag of the command. */
    List<String> unknown(CommandSpec command) {
        List<String> known = command.options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .map(option -> variable(option.longestName()))
                .toList();
        return environment.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(PREFIX))
                .filter(entry -> !known.contains(entry.getKey()) && !OTHERS.contains(entry.getKey()))
                .filter(entry -> !ServiceLinks.isLink(entry.getKey(), entry.getValue()))
                .map(entry -> sentence(entry.getKey(), known))
                .sorted()
                .toList();
    }

    private static String sentence(String variable, Collection<String> known) {
        String sentence = "Unknown environment variable: " + variable;
        return NearestName.of(variable, known)
                .map(near -> sentence + "; did you mean " + near + "?")
                .orElse(sentence);
    }
}
