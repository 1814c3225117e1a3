package io.gpushare.simulated.program;

import java.util.concurrent.CompletableFuture;

/**
 * How a program in this JVM ends.
 *
 * @param exit completed with its exit code
 * @param terminate requests a planned end, as SIGTERM does
 * @param fail requests the end that a failure causes
 */
public record Ends(CompletableFuture<Integer> exit, Runnable terminate, Runnable fail) {}
