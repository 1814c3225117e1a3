/**
 * How a program of this project starts and ends, alone in its process or beside others. It knows no program, and only
 * {@link io.gpushare.program.ProgramProcess} may change the process.
 */
@NullMarked
package io.gpushare.program;

import org.jspecify.annotations.NullMarked;
