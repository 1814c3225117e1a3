package io.gpushare.plugin.node.isolation;

import java.util.Locale;

/** The isolation that the operator asks for. */
public enum IsolationMode {
    NONE,
    DRIVER,
    MPS,
    /** The library of project HAMi-core, which lies on the node. */
    HAMI_CORE,
    /**
     * The driver's limits if every card of the node without MIG can have them, otherwise none; never MPS, which couples
     * pods. On MIG instances none.
     */
    AUTO;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
