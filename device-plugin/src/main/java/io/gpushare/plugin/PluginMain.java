package io.gpushare.plugin;

import io.gpushare.program.ProgramProcess;
import io.gpushare.time.Clocks;
import java.util.List;

/** Starts the device plugin as a process. */
public final class PluginMain {
    private PluginMain() {}

    public static void main(String[] args) {
        ProgramProcess.exitWith(PluginProgram.start(List.of(args), System.getenv(), Clocks.system()));
    }
}
