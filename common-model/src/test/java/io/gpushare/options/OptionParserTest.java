package io.gpushare.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class OptionParserTest {
    @Command(name = "program", mixinStandardHelpOptions = true, sortOptions = false)
    private static final class Options implements CheckedOptions {
        @Option(names = "--port", defaultValue = "80", converter = PortConverter.class)
        private int port;

        @Option(names = "--listen", converter = AddressConverter.class)
        private @Nullable InetSocketAddress listen;

        @Option(names = "--period", defaultValue = "10s", converter = SecondsConverter.class)
        private @Nullable Duration period;

        @Option(names = "--kubeconfig", converter = ReadableFileConverter.class)
        private @Nullable Path kubeconfig;

        @Option(names = "--memory-resource", defaultValue = "a.com/m", converter = ResourceNameConverter.class)
        private String resource = "";

        @Option(names = "--elect", arity = "0..1", fallbackValue = "true", defaultValue = "false")
        private boolean elect;

        @Override
        public List<String> problems() {
            return port == 1 ? List.of("--port 1 is taken") : List.of();
        }
    }

    @Command(name = "other")
    private static final class Subcommand {
        @Option(names = "--port", defaultValue = "7")
        private int port;
    }

    private final Options options = new Options();

    @Test
    void aFlagWinsOverItsVariableAndTheVariableOverTheDefault() throws Exception {
        Map<String, String> environment = Map.of("GPUSHARE_PORT", "81", "GPUSHARE_PERIOD", "", "PORT", "82");

        parser(environment).parse();
        assertThat(options.port).isEqualTo(81);
        assertThat(options.period).isEqualTo(Duration.ofSeconds(10));

        parser(environment).parse("--port=83");
        assertThat(options.port).isEqualTo(83);
    }

    @Test
    void aFlagOverridesAVariableThatCannotBeRead() throws Exception {
        EnvironmentDefaults environment = defaults(Map.of("GPUSHARE_PERIOD", "soon", "PORT", "82"));
        new OptionParser(options, environment).parse("--period=5s", "--port=83");

        assertThat(options.period).isEqualTo(Duration.ofSeconds(5));
        assertThat(environment.notices()).isEmpty();
    }

    @Test
    void aVariableThatOthersDefineIsRead() throws Exception {
        EnvironmentDefaults environment = defaults(Map.of("PORT", "82", "KUBECONFIG", "/dev/null"));
        new OptionParser(options, environment).parse();

        assertThat(options.port).isEqualTo(82);
        assertThat(options.kubeconfig).isEqualTo(Path.of("/dev/null"));
        assertThat(environment.notices()).isEmpty();
    }

    @Test
    void allErrorsAreReportedTogether() {
        OptionParser parser = parser(Map.of("GPUSHARE_PERIOD", "soon", "GPUSHARE_PRT", "1"));

        assertThatThrownBy(() -> parser.parse("--colour=red", "--port=1", "--kubeconfig=/no/such", "--listen=x"))
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining("Unknown option: '--colour=red'")
                .hasMessageContaining("file /no/such does not exist")
                .hasMessageContaining("'x' is not an address")
                .hasMessageContaining("'soon' is not a duration: write seconds, such as 10s (from GPUSHARE_PERIOD)")
                .hasMessageContaining("Unknown environment variable: GPUSHARE_PRT; did you mean GPUSHARE_PORT?")
                .hasMessageContaining("--port 1 is taken")
                .message()
                .hasLineCount(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GPUSHARE_COLOUR", "GPUSHARE_BIND_PORT"})
    void anUnknownVariableIsRefused(String variable) {
        assertThatThrownBy(() -> parser(Map.of(variable, "1")).parse())
                .hasMessage("Unknown environment variable: " + variable);
    }

    @ParameterizedTest
    @CsvSource({
        "GPUSHARE_SCHD_EXTENDER_SERVICE_HOST, 10.0.0.1",
        "GPUSHARE_SCHD_EXTENDER_SERVICE_PORT, 12345",
        "GPUSHARE_SCHD_EXTENDER_SERVICE_PORT_HTTP, 12345",
        "GPUSHARE_SCHD_EXTENDER_PORT, tcp://10.0.0.1:12345",
        "GPUSHARE_SCHD_EXTENDER_PORT_12345_TCP, tcp://10.0.0.1:12345",
        "GPUSHARE_SCHD_EXTENDER_PORT_12345_TCP_PROTO, tcp",
        "GPUSHARE_SCHD_EXTENDER_PORT_12345_TCP_PORT, 12345",
        "GPUSHARE_SCHD_EXTENDER_PORT_12345_TCP_ADDR, 10.0.0.1",
        "GPUSHARE_SERVICE_HOST, 10.0.0.1",
        "GPUSHARE_PORT, tcp://10.0.0.1:12345",
        "GPUSHARE_SIMULATED_CARDS, 1",
        "GPUSHARE_KUBERNETES, /kubernetes"
    })
    void serviceLinksAndVariablesOfOtherProgramsAreIgnored(String variable, String value) throws Exception {
        parser(Map.of(variable, value)).parse();
        assertThat(options.port).isEqualTo(80);
    }

    @Test
    void whatIsInForceIsShownAsItCouldBeGiven() throws Exception {
        OptionParser parser = parser(Map.of("GPUSHARE_PERIOD", "3s"));
        parser.parse("--listen=127.0.0.1:0", "--elect");
        assertThat(options.listen).hasToString("/127.0.0.1:0");
        assertThat(options.resource).isEqualTo("a.com/m");
        assertThat(options.elect).isTrue();

        assertThat(parser.inForce())
                .isEqualTo("--port=80 --listen=127.0.0.1:0 --period=3s --kubeconfig= --memory-resource=a.com/m"
                        + " --elect=true");
    }

    @Test
    void helpAndSubcommandsAreNotStoppedByTheEnvironment() throws Exception {
        assertThat(parser(Map.of("GPUSHARE_COLOUR", "1", "GPUSHARE_PORT", "x"))
                        .parse("--help")
                        .isUsageHelpRequested())
                .isTrue();

        OptionParser parser = parser(Map.of("GPUSHARE_COLOUR", "1", "GPUSHARE_PORT", "9", "KUBECONFIG", "/a:/b"));
        Subcommand subcommand = new Subcommand();
        parser.line().addSubcommand(subcommand);
        assertThat(parser.parse("other").hasSubcommand()).isTrue();
        assertThat(subcommand.port).isEqualTo(7);
    }

    @Test
    void aFlagWithoutAValueOrTwiceIsRefused() {
        assertThatThrownBy(() -> parser(Map.of()).parse("--port")).hasMessageContaining("--port");
        assertThatThrownBy(() -> parser(Map.of()).parse("--port=2", "--port=3"))
                .hasMessageContaining("should be specified only once");
    }

    private OptionParser parser(Map<String, String> environment) {
        return new OptionParser(options, defaults(environment));
    }

    private static EnvironmentDefaults defaults(Map<String, String> environment) {
        return new EnvironmentDefaults(environment)
                .alias("--port", "PORT")
                .alias("--kubeconfig", "KUBECONFIG");
    }
}
