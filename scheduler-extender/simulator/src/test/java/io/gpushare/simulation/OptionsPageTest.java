package io.gpushare.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.pages.OptionTable;
import io.gpushare.simulated.pages.WrittenSection;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;

class OptionsPageTest {
    private static final String PAGE = "deploy/docs/reference/options.md";

    @Test
    void thePageHasTheOptionsOfTheCommand() throws IOException {
        CommandSpec command = CommandSpec.forAnnotatedObject(new SimulateCommand());
        List<String> declared = OptionTable.of(command.options(), PAGE);
        assertThat(new WrittenSection(PAGE, "OptionsPageTest of scheduler-extender-simulator").differences(declared))
                .as(WrittenSection.HOW)
                .isEmpty();
    }
}
