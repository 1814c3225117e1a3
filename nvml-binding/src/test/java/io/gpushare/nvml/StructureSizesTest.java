package io.gpushare.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Structure;
import io.gpushare.nvml.library.NvmlLibrary;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class StructureSizesTest {
    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @Test
    void everyStructureHasItsSizeInC() throws Exception {
        List<Class<?>> structures = Arrays.stream(NvmlLibrary.class.getDeclaredClasses())
                .filter(Structure.class::isAssignableFrom)
                .toList();
        assertThat(structures).hasSize(12);
        for (Class<?> structure : structures) {
            var ours = (Structure) structure.getDeclaredConstructor().newInstance();
            assertThat(ours.size())
                    .as(structure.getSimpleName())
                    .isPositive()
                    .isEqualTo(driver.exports().simulatedSizeof(structure.getSimpleName()));
        }
    }

    @Test
    void theSizesMatchNvidiasManual() {
        assertThat(List.of(
                        new NvmlLibrary.nvmlMemory_t().size(),
                        new NvmlLibrary.nvmlMemory_v2_t().size(),
                        new NvmlLibrary.nvmlPciInfo_t().size(),
                        new NvmlLibrary.nvmlProcessInfo_v2_t().size(),
                        new NvmlLibrary.nvmlProcessUtilizationSample_t().size(),
                        new NvmlLibrary.nvmlDeviceAttributes_t().size(),
                        new NvmlLibrary.nvmlEventData_t().size()))
                .containsExactly(24, 40, 68, 24, 32, 40, 32);
    }
}
