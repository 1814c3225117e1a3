package io.gpushare.time;

import java.time.Duration;

/** A pause of a program that still starts. */
@FunctionalInterface
public interface Pause {
    /** Returns after that time; throws InterruptedException as soon as the program is to end. */
    void pause(Duration time) throws InterruptedException;
}
