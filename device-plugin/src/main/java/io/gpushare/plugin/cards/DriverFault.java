package io.gpushare.plugin.cards;

import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.NoCards.Cause;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;

/** The cause why a node offers no cards, by NVML's failure. */
final class DriverFault {
    private DriverFault() {}

    static NoCards of(NvmlException failure) {
        return new NoCards(
                switch (failure) {
                    case NvmlException.DriverMissing missing ->
                        missing.library() ? Cause.LIBRARY_MISSING : Cause.DRIVER_NOT_LOADED;
                    case NvmlException.Failed failed ->
                        switch (failed.code()) {
                            case NvmlCode.LIB_RM_VERSION_MISMATCH -> Cause.DRIVER_VERSION_MISMATCH;
                            case NvmlCode.NO_PERMISSION -> Cause.NO_ACCESS;
                            default -> Cause.DRIVER_ERROR;
                        };
                    case NvmlException.CardLost _, NvmlException.Unsupported _ -> Cause.DRIVER_ERROR;
                },
                String.valueOf(failure.getMessage()));
    }
}
