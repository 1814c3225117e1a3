package io.gpushare.model;

/** When a container of a pod runs. It decides which containers hold their shares at the same time. */
public enum ContainerRole {
    /** Runs to completion before the apps: later containers reuse its share. */
    INIT,
    /** An init container with restart policy Always: it starts before the apps and runs beside them. */
    SIDECAR,
    APP;

    /** Whether two containers of one pod with these roles may run at the same time. */
    public boolean beside(ContainerRole other) {
        return this == INIT ? other == SIDECAR : other != INIT || this == SIDECAR;
    }
}
