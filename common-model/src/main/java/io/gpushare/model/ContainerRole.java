package io.gpushare.model;

/** When a container of a pod runs, which decides what it holds at the same time as the others. */
public enum ContainerRole {
    /** Runs before the apps and ends: what it held is used again by those that follow. */
    INIT,
    /** An init container that restarts always: it starts before the apps and runs beside them. */
    SIDECAR,
    APP
}
