package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What frameworks take by their variables fits the limit of MPS, with a context, and more does not. */
class FrameworkLimitsIT extends WholeProgramWithMps {
    private static final Pattern FILLED = Pattern.compile("filled (\\d+) error 2 free \\d+ total (\\d+)");

    @ParameterizedTest
    @CsvSource({"T4, 7, 0.4459", "A10, 11, 0.4773", "H200-141, 8, 0.0536"})
    void whatAVariableNamesCanBeTaken(String kind, int gib, String fraction) throws Exception {
        cards("driver version=580.159.04", "card context=on kind=" + kind + " uuid=" + A);
        supervisor();
        runMps("--isolation=mps");
        Map<String, String> environment = started("p", gib);
        assertThat(environment)
                .containsEntry("XLA_PYTHON_CLIENT_MEM_FRACTION", fraction)
                .containsEntry("FLAGS_fraction_of_gpu_memory_to_use", fraction)
                .containsEntry("GPUSHARE_MEMORY_FRACTION", fraction);

        Tenant all = tenant(environment, 0, "fill");
        await().until(() -> all.lines().size() == 1);
        Matcher filled = FILLED.matcher(all.lines().getFirst());
        assertThat(filled.matches()).as("%s", all.lines()).isTrue();
        int most = Integer.parseInt(filled.group(1));
        int total = Integer.parseInt(filled.group(2));
        all.close();
        int paddle = Integer.parseInt(environment.getOrDefault("FLAGS_gpu_memory_limit_mb", ""));
        int cupy = (int) (Long.parseLong(environment.getOrDefault("CUPY_GPU_MEMORY_LIMIT", "")) >> 20);
        int jax = (int) (Double.parseDouble(fraction) * total);
        for (int each : new int[] {jax, paddle, cupy}) {
            try (Tenant tenant = tenant(environment, 0, each)) {
                tenant.prints("ok " + each);
            }
            assertThat(most - each).as("MiB that are left").isBetween(0, 20);
        }
        try (Tenant tenant = tenant(environment, 0, most + 1)) {
            tenant.prints("error 2");
        }
    }
}
