package io.gpushare.simulated.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.OptionSpec;

class OptionTableTest {
    private static final String PAGE = "deploy/docs/reference/options.md";

    @Test
    void aDescriptionIsMarkedAndLinked() {
        assertThat(OptionTable.of(
                        List.of(option("One of <a|b>, with --other (deploy/docs/operate/isolation.md#compute-shares)."
                                + " Such as \"b c\". [auto]")),
                        PAGE))
                .last(InstanceOfAssertFactories.STRING)
                .startsWith(
                        "| `--mode=<mode>` | `auto` | One of `<a\\|b>`, with `--other` ([Compute shares](../operate/")
                .endsWith("#compute-shares)). Such as `b c`. |");
    }

    @Test
    void aDefaultThatIsNotTheDeclaredOneIsFound() {
        assertThatThrownBy(() -> OptionTable.of(List.of(option("A mode. [none]")), PAGE))
                .hasMessageStartingWith("--mode: its description must end with [auto], the default");
    }

    private static OptionSpec option(String description) {
        return OptionSpec.builder("--mode")
                .paramLabel("<mode>")
                .type(String.class)
                .defaultValue("auto")
                .description(description)
                .build();
    }
}
