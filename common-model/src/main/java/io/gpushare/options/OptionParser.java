package io.gpushare.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/** Parses the options of a program from arguments and environment, and reports all errors together. */
public final class OptionParser {
    private final CommandLine line;
    private final CheckedOptions options;
    private final EnvironmentDefaults environment;

    /** @param options an object with picocli's annotations */
    public OptionParser(CheckedOptions options, EnvironmentDefaults environment) {
        this.options = options;
        this.environment = environment;
        line = new CommandLine(options);
        // gpushare's manifests write some flags with one dash: -health-check is not -h.
        line.setPosixClusteredShortOptionsAllowed(false);
    }

    /** Reads a type from text; throws IllegalArgumentException with a sentence for the user. */
    public interface Reader<T> {
        T read(String text);
    }

    /** A converter whose errors are the reader's sentences alone. */
    public static <T> ITypeConverter<T> converter(Reader<T> reader) {
        return text -> {
            try {
                return reader.read(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        };
    }

    /** Uses the reader for all options of that type. */
    public <T> OptionParser reads(Class<T> type, Reader<T> reader) {
        line.registerConverter(type, converter(reader));
        return this;
    }

    /** Reads the constants of that enum, as their text is written. */
    public <E extends Enum<E>> OptionParser reads(Class<E> type) {
        List<E> constants = List.of(type.getEnumConstants());
        return reads(
                type,
                text -> constants.stream()
                        .filter(each -> each.toString().equals(text.strip()))
                        .findFirst()
                        .orElseThrow(
                                () -> new IllegalArgumentException("unknown value '" + text + "': use " + constants)));
    }

    /** For the version, subcommands and usage. */
    public CommandLine line() {
        return line;
    }

    /**
     * Sets the fields of the options. The result may be a request for help, or a subcommand: then nothing else is
     * checked.
     */
    public ParseResult parse(String... args) throws InvalidOptionsException {
        Map<OptionSpec, String> wrongVariables = wrongVariables();
        List<String> errors = new ArrayList<>();
        line.getCommandSpec().defaultValueProvider(environment);
        line.getCommandSpec().parser().collectErrors(true);
        ParseResult result = line.parseArgs(args);
        for (ParseResult part : parts(result)) {
            part.errors().forEach(error -> errors.add(String.valueOf(error.getMessage())));
        }
        boolean runs = !helpRequested(result) && !result.hasSubcommand();
        if (runs) {
            wrongVariables.forEach((option, error) -> {
                // A flag overrides its variable, whatever that contains.
                if (!result.hasMatchedOption(option)) {
                    errors.add(error);
                }
            });
            environment.overridden(flag -> result.hasMatchedOption(flag));
            errors.addAll(environment.unknown(line.getCommandSpec()));
            errors.addAll(options.problems());
        }
        if (!errors.isEmpty() && !helpRequested(result)) {
            throw new InvalidOptionsException(errors);
        }
        return result;
    }

    private static List<ParseResult> parts(ParseResult result) {
        return result.hasSubcommand() ? List.of(result, result.subcommand()) : List.of(result);
    }

    private static boolean helpRequested(ParseResult result) {
        return parts(result).stream().anyMatch(part -> part.isUsageHelpRequested() || part.isVersionHelpRequested());
    }

    /**
     * Tries each variable by itself: picocli reads defaults before arguments and would stop at the first wrong one.
     * Wrong ones are not used from then on.
     */
    private Map<OptionSpec, String> wrongVariables() {
        Map<OptionSpec, String> errors = new LinkedHashMap<>();
        for (OptionSpec option : List.copyOf(line.getCommandSpec().options())) {
            EnvironmentDefaults.@Nullable Source source = environment.source(option.longestName());
            if (source == null) {
                continue;
            }
            try {
                line.parseArgs(option.longestName() + "=" + source.value());
            } catch (ParameterException e) {
                errors.put(option, e.getMessage() + " (from " + source.variable() + ")");
                environment.reject(source.variable());
            }
        }
        return errors;
    }

    /** Every flag with the value in force, as it could be given; after {@link #parse}. */
    public String inForce() {
        CommandSpec command = line.getCommandSpec();
        return command.options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .map(option -> option.longestName() + "=" + text(option))
                .collect(Collectors.joining(" "));
    }

    private static String text(OptionSpec option) {
        List<String> given = option.originalStringValues();
        if (!given.isEmpty()) {
            return given.getLast();
        }
        @Nullable String absent = option.defaultValueString();
        return absent == null || absent.equals("null") ? "" : absent;
    }
}
