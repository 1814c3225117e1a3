package io.gpushare.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.options.ClusterOptions;
import io.gpushare.simulated.pages.OptionTable;
import io.gpushare.simulated.pages.WrittenSection;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

class OptionsPageTest {
    private static final String PAGE = "deploy/docs/reference/options.md";

    /** Those that both programs have are in a table of their own, which common-model writes. */
    @Test
    void thePageHasTheOptionsOfThisProgram() throws IOException {
        CommandSpec command = CommandSpec.forAnnotatedObject(new PluginOptions());
        Set<String> shared = CommandSpec.forAnnotatedObject(new ClusterOptions())
                .optionsMap()
                .keySet();
        List<OptionSpec> own = command.options().stream()
                .filter(option -> !shared.contains(option.longestName()))
                .toList();
        List<String> declared = OptionTable.of(own, PAGE);
        assertThat(new WrittenSection(PAGE, "OptionsPageTest of device-plugin").differences(declared))
                .as(WrittenSection.HOW)
                .isEmpty();
    }
}
