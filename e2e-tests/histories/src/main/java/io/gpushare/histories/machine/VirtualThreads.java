package io.gpushare.histories.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;

/** Makes virtual threads that an executor of ours runs: the JDK keeps that for its own tests. */
final class VirtualThreads {
    private static final MethodHandle MAKE = make();

    private VirtualThreads() {}

    private static MethodHandle make() {
        try {
            Class<?> builders = Class.forName("java.lang.ThreadBuilders");
            return MethodHandles.privateLookupIn(builders, MethodHandles.lookup())
                    .findStatic(
                            builders,
                            "newVirtualThread",
                            MethodType.methodType(
                                    Thread.class, Executor.class, String.class, int.class, Runnable.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "this JDK makes no virtual threads with an executor of ours; run it with"
                            + " --add-opens=java.base/java.lang=ALL-UNNAMED",
                    e);
        }
    }

    /** A thread that is not started, each part of which that executor runs. */
    static Thread unstarted(Executor executor, String name, Runnable body) {
        try {
            return (Thread) MAKE.invokeExact(executor, name, 0, body);
        } catch (Throwable e) { // a method handle declares it
            throw new IllegalStateException(e);
        }
    }
}
