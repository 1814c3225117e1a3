package io.gpushare.model;

/** When a container of a pod runs. It decides which containers hold their shares at the same time. */
public enum ContainerRole {
    /** Runs to completion before the apps: later containers reuse its share. */
    INIT,
    /** An init container with restart policy Always: it starts before the apps and runs beside them. */
    SIDECAR,
    APP
}
