/**
 * The chaos run: pods come and go on a real cluster of two nodes while its parts are killed, frozen and cut off, and its
 * cards fall ill. What is to happen is drawn from a seed before it begins ({@code Plan}); what must always hold is a pure
 * function of what was seen at one moment ({@code Invariants}).
 */
@NullMarked
package io.gpushare.e2e.chaos;

import org.jspecify.annotations.NullMarked;
